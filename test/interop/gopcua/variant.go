package main

import (
	"encoding/hex"
	"reflect"
	"strconv"
	"time"

	"github.com/gopcua/opcua/ua"
)

// makeVariant makes a Variant of a built-in type from a value of config.json.
func makeVariant(typeName string, value any) (*ua.Variant, error) {
	elements, isArray := value.([]any)
	if !isArray {
		made, err := makeValue(typeName, value)
		if err != nil {
			return nil, err
		}
		return ua.NewVariant(made)
	}
	if len(elements) == 0 {
		return nil, cannot("no empty array of %s", typeName)
	}
	var array reflect.Value
	for i, element := range elements {
		made, err := makeVariant(typeName, element)
		if err != nil {
			return nil, err
		}
		one := reflect.ValueOf(made.Value())
		if i == 0 {
			array = reflect.MakeSlice(reflect.SliceOf(one.Type()), 0, len(elements))
		}
		array = reflect.Append(array, one)
	}
	if bytes, ok := array.Interface().([]byte); ok {
		return ua.NewVariant(ua.ByteArray(bytes))
	}
	return ua.NewVariant(array.Interface())
}

func makeValue(typeName string, value any) (any, error) {
	switch x := value.(type) {
	case bool:
		return x, nil
	case string:
		return makeFromText(typeName, x)
	case float64:
		return makeFromNumber(typeName, x)
	case map[string]any:
		if text, ok := x["text"].(string); ok && typeName == "LocalizedText" {
			locale, _ := x["locale"].(string)
			return ua.NewLocalizedTextWithLocale(text, locale), nil
		}
	}
	return nil, cannot("no %s from %s", typeName, show(value))
}

func makeFromText(typeName, text string) (any, error) {
	switch typeName {
	case "String":
		return text, nil
	case "Int64":
		return strconv.ParseInt(text, 10, 64)
	case "UInt64":
		return strconv.ParseUint(text, 10, 64)
	case "ByteString":
		return hex.DecodeString(text)
	case "NodeId":
		return ua.ParseNodeID(text)
	case "Guid":
		return ua.NewGUID(text), nil
	case "DateTime":
		return time.Parse(time.RFC3339, text)
	default:
		return nil, cannot("no %s from a text", typeName)
	}
}

func makeFromNumber(typeName string, x float64) (any, error) {
	switch typeName {
	case "SByte":
		return int8(x), nil
	case "Byte":
		return byte(x), nil
	case "Int16":
		return int16(x), nil
	case "UInt16":
		return uint16(x), nil
	case "Int32":
		return int32(x), nil
	case "UInt32":
		return uint32(x), nil
	case "Float":
		return float32(x), nil
	case "Double":
		return x, nil
	case "StatusCode":
		return ua.StatusCode(x), nil
	default:
		return nil, cannot("no %s from a number", typeName)
	}
}
