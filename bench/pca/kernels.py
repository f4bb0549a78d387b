"""What the arithmetic runs on."""
import platform


def cpu():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [text.partition(":")[2].strip() for text in file if text.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def kernels():
    """Each BLAS in this process, and the CPU that its kernels are for: an old one knows no new CPU."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "unknown: Python's threadpoolctl is not installed"
    libraries = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return ", ".join(" ".join(str(pool[key]) for key in ("internal_api", "version", "architecture") if pool.get(key))
                     for pool in libraries) or "unknown"
