"""Prints metrics with many digits."""
from llm_gateway_sdk._metrics import Metrics

metrics = Metrics("large", "1.2.3")
metrics.declare("large_total", "Things.")
metrics.add("large_total", {}, 12_345_678)
metrics.add("large_total", {})
metrics.gauge("large_bytes", "Bytes.", lambda: 33_554_431)
metrics.gauge("large_share", "A share.", lambda: 0.25)
metrics.gauge("large_ready", "Whether it is ready.", lambda: True)
print(metrics.text())
