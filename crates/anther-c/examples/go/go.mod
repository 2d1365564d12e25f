module example.org/anther-check

go 1.19
