"""The cpu platform: `libhip_cpu.so`, the HIP runtime and hipRTC on a CPU."""
