package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gopcua/opcua/ua"
	"github.com/gopcua/opcua/uacp"
)

// statusOf finds the StatusCode in an error.
func statusOf(err error) (status ua.StatusCode, ok bool) {
	if transport := (*uacp.Error)(nil); errors.As(err, &transport) {
		return ua.StatusCode(transport.ErrorCode), true
	}
	return status, errors.As(err, &status)
}

// badIndexRangeDataMismatch has no name in the client. OPC 10000-6 Annex A.2.
const badIndexRangeDataMismatch ua.StatusCode = 0x80ea0000

// statusName is the specification's name of the StatusCode in an error; empty without one.
func statusName(err error) string {
	status, ok := statusOf(err)
	if !ok {
		return ""
	}
	if status == ua.StatusOK {
		return "Good"
	}
	if status == badIndexRangeDataMismatch {
		return "BadIndexRangeDataMismatch"
	}
	name := strings.TrimPrefix(ua.StatusCodes[status].Name, "Status")
	if name == "" {
		return fmt.Sprintf("0x%08x", uint32(status))
	}
	// The client's names have ID where the specification has Id.
	return strings.NewReplacer("ID", "Id", "URI", "Uri", "URL", "Url", "XML", "Xml").Replace(name)
}

// describe is the error's text with the StatusCode by its name.
func describe(err error) string {
	text := err.Error()
	if status, ok := statusOf(err); ok {
		text = strings.ReplaceAll(text, status.Error(), statusName(err))
	}
	return text
}

// wantStatus turns the error expected into none, and any other outcome into an error. The empty status stands for Good.
func wantStatus(err error, status string) error {
	switch {
	case status == "" || status == "Good":
		return err
	case err == nil:
		return fmt.Errorf("Good instead of %s", status)
	case statusName(err) == status:
		return nil
	default:
		return err
	}
}
