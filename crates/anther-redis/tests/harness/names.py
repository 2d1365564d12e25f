"""Settings of the module, in one place."""

MEMORY_LIMIT = "bf.memory-limit"
HASH_KEY = "bf.hash-key"
VALKEY_COMPATIBLE = "bf.valkey-compatible"

# Of the server that tests share: what is a false positive today is one tomorrow.
FIXED_KEY = "5eed5eed5eed5eed5eed5eed5eed5eed"
