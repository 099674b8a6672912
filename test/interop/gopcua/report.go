package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// stepTimeout bounds every step, so that a hanging one doesn't take the others with it.
const stepTimeout = 15 * time.Second

// step is one row of the matrix.
type step struct {
	id  string
	run func(ctx context.Context) (detail string, err error)
}

// line is what the harness reads, one per step.
type line struct {
	Step   string `json:"step"`
	Result string `json:"result"`
	Detail string `json:"detail,omitempty"`
}

// cannotError says that this client lacks what a step needs.
type cannotError struct{ reason string }

func (e cannotError) Error() string { return e.reason }

func cannot(format string, args ...any) error {
	return cannotError{fmt.Sprintf(format, args...)}
}

// play runs the steps in order and prints a line for each.
func play(steps []step) {
	out := json.NewEncoder(os.Stdout)
	for _, s := range steps {
		started := time.Now()
		detail, err := guarded(s)
		fmt.Fprintf(os.Stderr, "%-45s %6d ms\n", s.id, time.Since(started).Milliseconds())
		l := line{Step: s.id, Result: "ok", Detail: detail}
		if err != nil {
			l.Result, l.Detail = "fails", describe(err)
			if c := (cannotError{}); errors.As(err, &c) {
				l.Result = "cannot"
			}
		}
		if err := out.Encode(l); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// guarded runs a step within its time; neither a panic nor an API that forgets its context ends the run.
func guarded(s step) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	type outcome struct {
		detail string
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				debug.PrintStack()
				done <- outcome{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		detail, err := s.run(ctx)
		done <- outcome{detail, err}
	}()
	select {
	case o := <-done:
		return o.detail, o.err
	case <-time.After(stepTimeout + time.Second):
		return "", errors.New("did not end in time")
	}
}
