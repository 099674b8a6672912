package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopcua/opcua/ua"
)

// wantSame compares two Variants that the client has decoded.
func wantSame(got, want *ua.Variant) error {
	g, w := plain(got.Value()), plain(want.Value())
	switch {
	case got.Type() != want.Type():
		return fmt.Errorf("a %s instead of a %s", got.Type(), want.Type())
	case !slices.Equal(got.ArrayDimensions(), want.ArrayDimensions()):
		return fmt.Errorf("dimensions %v instead of %v", got.ArrayDimensions(), want.ArrayDimensions())
	case !reflect.DeepEqual(g, w):
		return fmt.Errorf("%s instead of %s", show(g), show(w))
	}
	return nil
}

// wantPlain compares with a value of config.json.
func wantPlain(got *ua.Variant, want any) error {
	if !equalPlain(plain(got.Value()), want) {
		return fmt.Errorf("%s instead of %s", show(plain(got.Value())), show(want))
	}
	return nil
}

func equalPlain(got, want any) bool {
	switch w := want.(type) {
	case nil:
		// This client has one value for null and empty.
		return got == nil || got == "" || reflect.DeepEqual(got, []any{}) || isEmptyObject(got)
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for key := range w {
			if !equalPlain(g[key], w[key]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !equalPlain(g[i], w[i]) {
				return false
			}
		}
		return true
	default:
		return got == want
	}
}

func isEmptyObject(v any) bool {
	object, ok := v.(map[string]any)
	for _, field := range object {
		if field != "" && field != 0.0 {
			return false
		}
	}
	return ok
}

// earliestTime is what the client decodes to Go's zero time. OPC 10000-6 §5.2.2.5.
var earliestTime = time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)

// plain makes of a decoded value what config.json has for it.
func plain(v any) any {
	switch x := v.(type) {
	case nil:
		return nil
	case bool, string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case float32:
		return plainFloat(float64(x))
	case float64:
		return plainFloat(x)
	case ua.StatusCode:
		return float64(x)
	case ua.XMLElement:
		return string(x)
	case time.Time:
		if x.IsZero() {
			x = earliestTime
		}
		return x.Format("2006-01-02T15:04:05.000Z")
	case []byte:
		return hex.EncodeToString(x)
	case *ua.GUID:
		return strings.ToLower(x.String())
	case *ua.NodeID:
		if x.Type() == ua.NodeIDTypeGUID {
			return strings.ToLower(x.String())
		}
		return x.String()
	case *ua.ExpandedNodeID:
		return x.String()
	case *ua.QualifiedName:
		return map[string]any{"namespaceIndex": float64(x.NamespaceIndex), "name": x.Name}
	case *ua.LocalizedText:
		return map[string]any{"locale": x.Locale, "text": x.Text}
	case *ua.Variant:
		return plain(x.Value())
	case *ua.ExtensionObject:
		return plain(x.Value)
	default:
		return plainKind(reflect.ValueOf(v))
	}
}

func plainKind(v reflect.Value) any {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.Kind() == reflect.Slice:
		elements := make([]any, v.Len())
		for i := range elements {
			elements[i] = plain(v.Index(i).Interface())
		}
		return elements
	case v.Kind() == reflect.Pointer && v.IsNil():
		return nil
	case v.Kind() == reflect.Pointer:
		return plainKind(v.Elem())
	case v.Kind() == reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			fields[v.Type().Field(i).Name] = plain(v.Field(i).Interface())
		}
		return fields
	default:
		return fmt.Sprint(v.Interface())
	}
}

func plainFloat(x float64) any {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	default:
		return x
	}
}

// show cuts long values.
func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	const enough = 120
	if len(text) > enough {
		return string(text[:enough]) + "…"
	}
	return string(text)
}
