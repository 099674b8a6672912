module bulkhead.test/interop/own-client/gopcua-server

go 1.23

require github.com/gopcua/opcua v0.9.1

require github.com/google/uuid v1.6.0 // indirect
