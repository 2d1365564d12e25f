"""Settings of the module, in one place."""

MEMORY_LIMIT = "bf.memory-limit"
HASH_KEY = "bf.hash-key"
VALKEY_COMPATIBLE = "bf.valkey-compatible"
