"""What the tests are made of: servers, clusters, the wire, payloads and keys."""
