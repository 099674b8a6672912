package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/gopcua/opcua/ua"
)

// config is what the harness tells: see ../README.md.
type config struct {
	URL                   string            `json:"url"`
	ServerCertificateFile string            `json:"serverCertificateFile"`
	Client                identity          `json:"client"`
	Untrusted             identity          `json:"untrusted"`
	User                  user              `json:"user"`
	WrongPassword         string            `json:"wrongPassword"`
	Endpoints             []endpoint        `json:"endpoints"`
	Main                  endpoint          `json:"main"`
	Proxy                 proxy             `json:"proxy"`
	Expect                expect            `json:"expect"`
	Browse                browse            `json:"browse"`
	Attributes            map[string]class  `json:"attributes"`
	AttributeNodes        []string          `json:"attributeNodes"`
	Values                []expectedValue   `json:"values"`
	Scalars               map[string]pair   `json:"scalars"`
	Arrays                map[string]pair   `json:"arrays"`
	Matrices              map[string]pair   `json:"matrices"`
	Methods               []method          `json:"methods"`
	IndexRanges           []rangeRead       `json:"indexRanges"`
	IndexRangeWrites      []rangeWrite      `json:"indexRangeWrites"`
	DataTypes             []dataType        `json:"dataTypes"`
	Structures            []structure       `json:"structures"`
	Bench                 bench             `json:"bench"`
	Deadband              map[string]band   `json:"deadband"`
	Counters              map[string]string `json:"counters"`
	Triggering            triggering        `json:"triggering"`
}

type identity struct {
	ApplicationURI  string `json:"applicationUri"`
	CertificateFile string `json:"certificateFile"`
	PrivateKeyFile  string `json:"privateKeyDerFile"`
}

type user struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

type endpoint struct {
	PolicyURI string `json:"policyUri"`
	Policy    string `json:"policy"`
	Mode      string `json:"mode"`
}

func (e endpoint) securityMode() ua.MessageSecurityMode {
	return ua.MessageSecurityModeFromString(e.Mode)
}

type proxy struct {
	URL     string `json:"url"`
	Control string `json:"control"`
}

type expect struct {
	WrongPassword        []string `json:"wrongPassword"`
	UntrustedCertificate []string `json:"untrustedCertificate"`
}

type browse struct {
	StartNodeID          string `json:"startNodeId"`
	MaxReferencesPerNode uint32 `json:"maxReferencesPerNode"`
	NodeCount            int    `json:"nodeCount"`
}

type class struct {
	NodeClass int32            `json:"nodeClass"`
	Mandatory []ua.AttributeID `json:"mandatory"`
	Optional  []ua.AttributeID `json:"optional"`
}

type expectedValue struct {
	NodeID string `json:"nodeId"`
	Type   string `json:"type"`
	Value  any    `json:"value"`
}

type pair struct {
	Writable string `json:"writable"`
	ReadOnly string `json:"readOnly"`
}

type method struct {
	Name     string   `json:"name"`
	ObjectID string   `json:"objectId"`
	MethodID string   `json:"methodId"`
	Inputs   []input  `json:"inputs"`
	Outputs  []output `json:"outputs"`
	Status   string   `json:"status"`
}

// input is a value, or the node to read it from.
type input struct {
	Type  string `json:"type"`
	Value any    `json:"value"`
	Read  string `json:"read"`
}

// output is a value, or the index of the input that it has to equal.
type output struct {
	Value  any  `json:"value"`
	SameAs *int `json:"sameAs"`
}

type rangeRead struct {
	NodeID string `json:"nodeId"`
	Range  string `json:"range"`
	Type   string `json:"type"`
	Value  any    `json:"value"`
	Status string `json:"status"`
	// Dimensions is there for a matrix; Value has its elements in one row.
	Dimensions []int32 `json:"dimensions"`
}

type rangeWrite struct {
	NodeID string `json:"nodeId"`
	Range  string `json:"range"`
	Type   string `json:"type"`
	Write  any    `json:"write"`
	After  any    `json:"after"`
	Status string `json:"status"`
}

type dataType struct {
	NodeID string   `json:"nodeId"`
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Fields []string `json:"fields"`
}

type structure struct {
	NodeID   string `json:"nodeId"`
	DataType string `json:"dataType"`
	Value    any    `json:"value"`
}

type bench struct {
	NodeIDs []string `json:"nodeIds"`
	TickMs  int      `json:"tickMs"`
}

type band struct {
	NodeID   string  `json:"nodeId"`
	Deadband float64 `json:"deadband"`
	Base     float64 `json:"base"`
	Inside   float64 `json:"inside"`
	Outside  float64 `json:"outside"`
}

type triggering struct {
	Triggering string `json:"triggering"`
	Triggered  string `json:"triggered"`
}

func readConfig(fileName string) (config, error) {
	var c config
	text, err := os.ReadFile(fileName)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("%s: %w", fileName, err)
	}
	return c, nil
}
