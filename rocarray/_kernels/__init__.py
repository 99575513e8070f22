"""Device code, and the engine that turns it into code objects (docs/design/kernel_engine.md)."""
