package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/ua"
)

// readValue reads the Value attribute, or the part of it that the range names.
func readValue(ctx context.Context, c *opcua.Client, node *ua.NodeID, indexRange string) (*ua.Variant, error) {
	res, err := c.Read(ctx, &ua.ReadRequest{
		NodesToRead:        []*ua.ReadValueID{{NodeID: node, AttributeID: ua.AttributeIDValue, IndexRange: indexRange}},
		TimestampsToReturn: ua.TimestampsToReturnBoth,
	})
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(res.Results) != 1 {
		return nil, fmt.Errorf("read: %d results", len(res.Results))
	}
	if status := res.Results[0].Status; status != ua.StatusOK {
		return nil, fmt.Errorf("read: %w", status)
	}
	return res.Results[0].Value, nil
}

func writeValue(ctx context.Context, c *opcua.Client, node *ua.NodeID, indexRange string, v *ua.Variant) error {
	res, err := c.Write(ctx, &ua.WriteRequest{NodesToWrite: []*ua.WriteValue{{
		NodeID:      node,
		AttributeID: ua.AttributeIDValue,
		IndexRange:  indexRange,
		Value:       &ua.DataValue{EncodingMask: ua.DataValueValue, Value: v},
	}}})
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if len(res.Results) != 1 {
		return fmt.Errorf("write: %d results", len(res.Results))
	}
	if status := res.Results[0]; status != ua.StatusOK {
		return fmt.Errorf("write: %w", status)
	}
	return nil
}

// problems gathers what is wrong with parts of a step, so that all of them are told.
type problems []string

func (p *problems) add(what string, err error) {
	if err != nil {
		*p = append(*p, what+": "+describe(err))
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(p, "; "))
}

func (s *script) readValues(ctx context.Context) (string, error) {
	left := 0
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, want := range s.cfg.Values {
			if want.Type == "DateTime" && isBeyondTime(want.Value) {
				left++
				continue
			}
			v, err := readValue(ctx, c, ua.MustParseNodeID(want.NodeID), "")
			if err == nil {
				err = wantPlain(v, want.Value)
			}
			p.add(want.NodeID, err)
		}
		return p.err()
	})
	return fmt.Sprintf("%d values; left out: %d with times after 2262, which the client decodes as others", len(s.cfg.Values)-left, left), err
}

// isBeyondTime says whether a time, or one of several, is after what Go's nanoseconds since 1970 can express.
func isBeyondTime(value any) bool {
	if elements, ok := value.([]any); ok {
		return slices.ContainsFunc(elements, isBeyondTime)
	}
	text, _ := value.(string)
	return text > "2262-04-11"
}

func (s *script) writeScalars(ctx context.Context) (string, error) {
	return s.writePairs(ctx, s.cfg.Scalars)
}

func (s *script) writeArrays(ctx context.Context) (string, error) {
	return s.writePairs(ctx, s.cfg.Arrays)
}

func (s *script) writeMatrices(ctx context.Context) (string, error) {
	return s.writePairs(ctx, s.cfg.Matrices)
}

// writePairs writes the value of each read-only variable to the writable one of its type, and then the first value again.
func (s *script) writePairs(ctx context.Context, pairs map[string]pair) (string, error) {
	left := ""
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			err := writePair(ctx, c, pairs[name])
			if errors.Is(err, errByteStrings) {
				left = "; left out: " + name + ", " + err.Error()
				continue
			}
			p.add(name, err)
		}
		return p.err()
	})
	return fmt.Sprintf("%d types%s", len(pairs), left), err
}

var errByteStrings = errors.New("the client encodes no arrays of ByteStrings")

func writePair(ctx context.Context, c *opcua.Client, nodes pair) error {
	writable, readOnly := ua.MustParseNodeID(nodes.Writable), ua.MustParseNodeID(nodes.ReadOnly)
	first, err := readValue(ctx, c, writable, "")
	if err != nil {
		return err
	}
	other, err := readValue(ctx, c, readOnly, "")
	if err != nil {
		return err
	}
	for _, value := range []*ua.Variant{other, first} {
		if isArrayOfByteStrings(value) {
			return errByteStrings
		}
		// A Variant as it was read is not necessarily encoded like one made from a Go value.
		made, err := ua.NewVariant(value.Value())
		if err != nil {
			return err
		}
		if err := writeValue(ctx, c, writable, "", made); err != nil {
			return err
		}
		after, err := readValue(ctx, c, writable, "")
		if err != nil {
			return err
		}
		if err := wantSame(after, value); err != nil {
			return err
		}
	}
	return nil
}

func isArrayOfByteStrings(v *ua.Variant) bool {
	return v.Type() == ua.TypeIDByteString && v.Has(ua.VariantArrayValues)
}

func (s *script) indexRanges(ctx context.Context) (string, error) {
	return fmt.Sprintf("%d read, %d written", len(s.cfg.IndexRanges), len(s.cfg.IndexRangeWrites)), s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, r := range s.cfg.IndexRanges {
			v, err := readValue(ctx, c, ua.MustParseNodeID(r.NodeID), r.Range)
			if err = wantStatus(err, r.Status); err == nil && r.Status == "" {
				err = wantPart(v, r)
			}
			p.add(fmt.Sprintf("%s[%s]", r.NodeID, r.Range), err)
		}
		for _, w := range s.cfg.IndexRangeWrites {
			p.add(fmt.Sprintf("%s[%s]", w.NodeID, w.Range), writeRange(ctx, c, w))
		}
		return p.err()
	})
}

func wantPart(v *ua.Variant, r rangeRead) error {
	if r.Dimensions == nil {
		return wantPlain(v, r.Value)
	}
	if !slices.Equal(v.ArrayDimensions(), r.Dimensions) {
		return fmt.Errorf("dimensions %v", v.ArrayDimensions())
	}
	var row []any
	for _, elements := range plain(v.Value()).([]any) {
		row = append(row, elements.([]any)...)
	}
	if !equalPlain(row, r.Value) {
		return fmt.Errorf("%s instead of %s", show(row), show(r.Value))
	}
	return nil
}

func writeRange(ctx context.Context, c *opcua.Client, w rangeWrite) error {
	node := ua.MustParseNodeID(w.NodeID)
	first, err := readValue(ctx, c, node, "")
	if err != nil {
		return err
	}
	part, err := makeVariant(w.Type, w.Write)
	if err != nil {
		return err
	}
	err = writeValue(ctx, c, node, w.Range, part)
	if w.Status != "" {
		return wantStatus(err, w.Status)
	}
	if err != nil {
		return err
	}
	after, err := readValue(ctx, c, node, "")
	if err != nil {
		return err
	}
	if err := wantPlain(after, w.After); err != nil {
		return err
	}
	return writeValue(ctx, c, node, "", first)
}
