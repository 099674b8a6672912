// Command gopcua plays the interoperability script with github.com/gopcua/opcua.
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: gopcua config.json")
		os.Exit(2)
	}
	cfg, err := readConfig(os.Args[len(os.Args)-1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	play((&script{cfg: cfg}).steps())
}

// steps is ../steps.json.
func (s *script) steps() []step {
	steps := []step{{"endpoints", s.endpoints}}
	for _, e := range s.cfg.Endpoints {
		prefix := fmt.Sprintf("connect:%s:%s:", e.Policy, e.Mode)
		steps = append(steps,
			step{prefix + "anonymous", s.connectWith(login{endpoint: e})},
			step{prefix + "username", s.connectWith(login{endpoint: e, user: &s.cfg.User})},
		)
	}
	return append(steps,
		step{"wrong-password", s.wrongPassword},
		step{"untrusted-certificate", s.untrustedCertificate},
		step{"browse-all", s.browseAll},
		step{"read-attributes", s.readAttributes},
		step{"read-values", s.readValues},
		step{"write-scalars", s.writeScalars},
		step{"write-arrays", s.writeArrays},
		step{"write-matrices", s.writeMatrices},
		step{"call-methods", s.callMethods},
		step{"index-ranges", s.indexRanges},
		step{"data-type-definitions", s.dataTypeDefinitions},
		step{"structures", s.structures},
		step{"subscribe-100", s.subscribe100},
		step{"deadband", s.deadband},
		step{"two-subscriptions", s.twoSubscriptions},
		step{"modify-items", s.modifyItems},
		step{"disable-items", s.disableItems},
		step{"set-triggering", s.setTriggering},
		step{"events", events},
		step{"token-renewal", s.tokenRenewal},
		step{"reconnect", s.reconnect},
		step{"close", s.close},
	)
}

func events(context.Context) (string, error) {
	return "", cannot("the server has no events yet")
}
