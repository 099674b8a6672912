// A server of gopcua for the client under test. Arguments: port, certificate (DER), key (PEM), ApplicationUri, certificate (PEM).
package main

import (
	"context"
	"crypto/rsa"
	"crypto/tls"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/gopcua/opcua/id"
	"github.com/gopcua/opcua/server"
	"github.com/gopcua/opcua/ua"
)

func main() {
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(os.Args[5], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	s := server.New(
		server.EnableSecurity("Basic256Sha256", ua.MessageSecurityModeSignAndEncrypt),
		server.EnableAuthMode(ua.UserTokenTypeAnonymous),
		server.EndPoint("127.0.0.1", port),
		server.PrivateKey(pair.PrivateKey.(*rsa.PrivateKey)),
		server.Certificate(pair.Certificate[0]),
	)
	namespace := server.NewNodeNameSpace(s, "urn:bulkhead:interop:own-client")
	core, err := s.Namespace(0)
	if err != nil {
		log.Fatal(err)
	}
	value := namespace.AddNewVariableStringNode("Value", float64(0))
	core.Objects().AddRef(value, id.Organizes, true)
	if err := s.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"event\":\"ready\",\"nodeId\":\"ns=%d;s=Value\"}\n", namespace.ID())
	select {}
}
