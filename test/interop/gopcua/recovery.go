package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/id"
	"github.com/gopcua/opcua/ua"
)

// tokenRenewal reads without a pause while the client renews the token on its own, after 3 of the 4 seconds.
func (s *script) tokenRenewal(ctx context.Context) (string, error) {
	const lifetime, during = 4 * time.Second, 7500 * time.Millisecond
	reads := 0
	l := s.main()
	l.options = []opcua.Option{opcua.Lifetime(lifetime)}
	err := s.with(ctx, l, func(c *opcua.Client) error {
		for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if _, err := readTime(ctx, c); err != nil {
				return fmt.Errorf("read %d: %w", reads, err)
			}
			reads++
		}
		return nil
	})
	return fmt.Sprintf("%d reads in %s, lifetime %s", reads, during, lifetime), err
}

func readTime(ctx context.Context, c *opcua.Client) (*ua.Variant, error) {
	return readValue(ctx, c, ua.NewNumericNodeID(0, id.Server_ServerStatus_CurrentTime), "")
}

// reconnect cuts the connection and leaves it to the client to recover.
func (s *script) reconnect(ctx context.Context) (string, error) {
	l := s.main()
	l.url = s.cfg.Proxy.URL
	l.options = []opcua.Option{opcua.AutoReconnect(true), opcua.ReconnectInterval(200 * time.Millisecond)}
	detail := ""
	err := s.with(ctx, l, func(c *opcua.Client) error {
		o, _, err := observe(ctx, c, fastInterval, item{node: ua.MustParseNodeID(s.cfg.Counters["100ms"]), queue: 100})
		if err != nil {
			return err
		}
		if err := o.collect(ctx, 5*fastInterval); err != nil {
			return err
		}
		session, id := c.Session(), o.SubscriptionID
		if err := s.cut(ctx); err != nil {
			return err
		}
		if err := waitUntilConnected(ctx, c); err != nil {
			return err
		}
		detail = "new session"
		if c.Session() == session {
			detail = "same session"
		}
		resumed, err := o.resumePublishing(ctx, c)
		if err != nil {
			return err
		}
		detail += resumed
		if o.SubscriptionID != id {
			detail += ", new subscription"
		}
		if err := consecutive(o.values[0], 10); err != nil {
			detail += ", lost: " + err.Error()
		} else {
			detail += ", nothing lost"
		}
		return o.Cancel(ctx)
	})
	return detail, err
}

// resumePublishing waits for values. The client forgets to publish after it has reactivated a session; another subscription
// makes it publish again, for all of them.
func (o *observer) resumePublishing(ctx context.Context, c *opcua.Client) (string, error) {
	detail := ""
	before := o.count(0)
	hasResumed := func() bool { return o.count(0) >= before+10 }
	if err := o.collectUntil(ctx, 2*time.Second, hasResumed); err != nil || hasResumed() {
		return detail, err
	}
	detail = ", publishing again only with one more subscription"
	another, _, err := observe(ctx, c, fastInterval)
	if err != nil {
		return detail, err
	}
	if err := o.collectUntil(ctx, 3*time.Second, hasResumed); err != nil {
		return detail, err
	}
	if !hasResumed() {
		return detail, fmt.Errorf("%d values after the session was back", o.count(0)-before)
	}
	return detail, another.Cancel(ctx)
}

func (s *script) cut(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.cfg.Proxy.Control+"/cut", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("cut: %s", response.Status)
	}
	return nil
}

func waitUntilConnected(ctx context.Context, c *opcua.Client) error {
	var err error
	for range 100 {
		if _, err = readTime(ctx, c); err == nil && c.State() == opcua.Connected {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("not connected after 10 s: %w", err)
}

// close closes session and channel, after which nothing can be read.
func (s *script) close(ctx context.Context) (string, error) {
	c, err := s.connect(ctx, s.main())
	if err != nil {
		return "", err
	}
	if err := c.CloseSession(ctx); err != nil {
		return "", fmt.Errorf("CloseSession: %w", err)
	}
	if err := c.Close(ctx); err != nil {
		return "", fmt.Errorf("Close: %w", err)
	}
	if _, err := readTime(ctx, c); err == nil {
		return "", errors.New("a read after it is Good")
	}
	return "", nil
}
