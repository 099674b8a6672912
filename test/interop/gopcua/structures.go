package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/ua"
)

func (s *script) dataTypeDefinitions(ctx context.Context) (string, error) {
	return fmt.Sprintf("%d definitions", len(s.cfg.DataTypes)), s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, t := range s.cfg.DataTypes {
			p.add(t.Name, checkDefinition(ctx, c, t))
		}
		return p.err()
	})
}

func checkDefinition(ctx context.Context, c *opcua.Client, t dataType) error {
	v, err := c.Node(ua.MustParseNodeID(t.NodeID)).Attribute(ctx, ua.AttributeIDDataTypeDefinition)
	if err != nil {
		return err
	}
	object, ok := v.Value().(*ua.ExtensionObject)
	if !ok {
		return fmt.Errorf("a %T", v.Value())
	}
	var kind string
	var fields []string
	switch definition := object.Value.(type) {
	case *ua.StructureDefinition:
		kind = kindOf(definition.StructureType)
		for _, field := range definition.Fields {
			fields = append(fields, field.Name)
		}
	case *ua.EnumDefinition:
		kind = "Enum"
		for _, field := range definition.Fields {
			fields = append(fields, field.Name)
		}
	default:
		return fmt.Errorf("%s with a %T", object.TypeID, object.Value)
	}
	if kind != t.Kind || !slices.Equal(fields, t.Fields) {
		return fmt.Errorf("%s %v instead of %s %v", kind, fields, t.Kind, t.Fields)
	}
	return nil
}

func kindOf(t ua.StructureType) string {
	switch t {
	case ua.StructureTypeStructure:
		return "Structure"
	case ua.StructureTypeStructureWithOptionalFields:
		return "StructureWithOptionalFields"
	case ua.StructureTypeUnion:
		return "Union"
	default:
		return t.String()
	}
}

// position is the reference server's type of that name.
type position struct{ X, Y, Z float64 }

// The client decodes what it has Go structs for; those have no optional fields and no unions.
const (
	positionType     = "ns=2;s=DataType.Position"
	positionEncoding = "ns=2;s=DataType.Position.DefaultBinary"
	modeType         = "ns=2;s=DataType.Mode"
	alarmsType       = "ns=2;s=DataType.Alarms"
)

// structures reads and writes the values of types that the client can express.
func (s *script) structures(ctx context.Context) (string, error) {
	ua.RegisterExtensionObject(ua.MustParseNodeID(positionEncoding), new(position))
	expressible := 0
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, st := range s.cfg.Structures {
			if !slices.Contains([]string{positionType, modeType, alarmsType}, st.DataType) {
				continue
			}
			expressible++
			p.add(st.NodeID, readAndWriteStructure(ctx, c, st))
		}
		return p.err()
	})
	return fmt.Sprintf("%d of %d: the client has no optional fields, unions and loading of types", expressible, len(s.cfg.Structures)), err
}

func readAndWriteStructure(ctx context.Context, c *opcua.Client, st structure) error {
	node := ua.MustParseNodeID(st.NodeID)
	v, err := readValue(ctx, c, node, "")
	if err != nil {
		return err
	}
	if err := wantPlain(v, st.Value); err != nil {
		return err
	}
	return writeValue(ctx, c, node, "", v)
}
