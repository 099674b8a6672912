module bulkhead.test/interop/gopcua

go 1.23

require github.com/gopcua/opcua v0.9.1
