"""The nvidia platform: the HIP runtime and hipRTC, over NVIDIA's driver and NVRTC."""
