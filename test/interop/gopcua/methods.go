package main

import (
	"context"
	"fmt"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/ua"
)

func (s *script) callMethods(ctx context.Context) (string, error) {
	detail := fmt.Sprintf("%d calls; EchoArrays with no ByteStrings: %s", len(s.cfg.Methods), errByteStrings)
	return detail, s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, m := range s.cfg.Methods {
			p.add(m.Name, wantStatus(callMethod(ctx, c, m), m.Status))
		}
		return p.err()
	})
}

// callMethod calls and compares the outputs. Its error is the method's status if that isn't Good.
func callMethod(ctx context.Context, c *opcua.Client, m method) error {
	request := &ua.CallMethodRequest{ObjectID: ua.MustParseNodeID(m.ObjectID), MethodID: ua.MustParseNodeID(m.MethodID)}
	for _, in := range m.Inputs {
		v, err := in.variant(ctx, c)
		if err != nil {
			return err
		}
		request.InputArguments = append(request.InputArguments, v)
	}
	result, err := c.Call(ctx, request)
	if err != nil {
		return err
	}
	if result.StatusCode != ua.StatusOK {
		return withArgumentResults(result)
	}
	if m.Outputs == nil {
		return nil
	}
	if len(result.OutputArguments) != len(m.Outputs) {
		return fmt.Errorf("%d outputs instead of %d", len(result.OutputArguments), len(m.Outputs))
	}
	for i, out := range m.Outputs {
		if err := out.check(result.OutputArguments[i], request.InputArguments); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

func withArgumentResults(result *ua.CallMethodResult) error {
	for i, status := range result.InputArgumentResults {
		if status != ua.StatusOK {
			return fmt.Errorf("%w: input %d: %s", result.StatusCode, i, statusName(status))
		}
	}
	return result.StatusCode
}

func (in input) variant(ctx context.Context, c *opcua.Client) (*ua.Variant, error) {
	if in.Read == "" {
		return makeVariant(in.Type, in.Value)
	}
	v, err := readValue(ctx, c, ua.MustParseNodeID(in.Read), "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Read, err)
	}
	if isArrayOfByteStrings(v) {
		return ua.NewVariant([][]byte{})
	}
	return v, nil
}

func (out output) check(got *ua.Variant, inputs []*ua.Variant) error {
	if out.SameAs != nil {
		return wantSame(got, inputs[*out.SameAs])
	}
	return wantPlain(got, out.Value)
}
