package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/ua"
)

const fastInterval = 100 * time.Millisecond

// observer is a subscription with the values it has received, by client handle.
type observer struct {
	*opcua.Subscription
	values  map[uint32][]*ua.DataValue
	channel chan *opcua.PublishNotificationData
}

// item says what to monitor; without a sampling interval that is 50 ms.
type item struct {
	node     *ua.NodeID
	handle   uint32
	sampling bool
	interval time.Duration
	queue    uint32
	filter   *ua.DataChangeFilter
}

// observe makes a subscription with some items.
func observe(ctx context.Context, c *opcua.Client, interval time.Duration, items ...item) (*observer, []uint32, error) {
	o := &observer{values: map[uint32][]*ua.DataValue{}, channel: make(chan *opcua.PublishNotificationData, 1000)}
	parameters := &opcua.SubscriptionParameters{Interval: interval, LifetimeCount: 600, MaxKeepAliveCount: 10}
	sub, err := c.Subscribe(ctx, parameters, o.channel)
	if err != nil {
		return nil, nil, fmt.Errorf("CreateSubscription: %w", err)
	}
	o.Subscription = sub
	if len(items) == 0 {
		return o, nil, nil
	}
	ids, err := o.monitor(ctx, items)
	return o, ids, err
}

func (o *observer) monitor(ctx context.Context, items []item) (ids []uint32, err error) {
	var requests []*ua.MonitoredItemCreateRequest
	for _, i := range items {
		requests = append(requests, i.request())
	}
	res, err := o.Monitor(ctx, ua.TimestampsToReturnBoth, requests...)
	if err != nil {
		return nil, fmt.Errorf("CreateMonitoredItems: %w", err)
	}
	for i, result := range res.Results {
		if result.StatusCode != ua.StatusOK {
			return nil, fmt.Errorf("CreateMonitoredItems of %s: %w", items[i].node, result.StatusCode)
		}
		ids = append(ids, result.MonitoredItemID)
	}
	return ids, nil
}

func (i item) request() *ua.MonitoredItemCreateRequest {
	request := opcua.NewMonitoredItemCreateRequestWithDefaults(i.node, ua.AttributeIDValue, i.handle)
	if i.sampling {
		request.MonitoringMode = ua.MonitoringModeSampling
	}
	interval := i.interval
	if interval == 0 {
		interval = 50 * time.Millisecond
	}
	request.RequestedParameters.SamplingInterval = float64(interval.Milliseconds())
	request.RequestedParameters.QueueSize = max(i.queue, 1)
	if i.filter != nil {
		request.RequestedParameters.Filter = ua.NewExtensionObject(i.filter)
	}
	return request
}

// collect takes what comes during the time given.
func (o *observer) collect(ctx context.Context, during time.Duration) error {
	return o.collectUntil(ctx, during, func() bool { return false })
}

// collectUntil takes what comes until there is enough or the time is over.
func (o *observer) collectUntil(ctx context.Context, atMost time.Duration, isEnough func() bool) error {
	end := time.After(atMost)
	for !isEnough() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end:
			return nil
		case data := <-o.channel:
			if err := o.take(data); err != nil {
				return err
			}
		}
	}
	return nil
}

// freshly collects for the time given after it has dropped what was there and on its way.
func (o *observer) freshly(ctx context.Context, during time.Duration) error {
	if err := o.collect(ctx, 2*fastInterval); err != nil {
		return err
	}
	clear(o.values)
	return o.collect(ctx, during)
}

func (o *observer) take(data *opcua.PublishNotificationData) error {
	if data.Error != nil {
		return data.Error
	}
	change, ok := data.Value.(*ua.DataChangeNotification)
	if !ok {
		return fmt.Errorf("unexpected %T", data.Value)
	}
	for _, i := range change.MonitoredItems {
		o.values[i.ClientHandle] = append(o.values[i.ClientHandle], i.Value)
	}
	return nil
}

// count is how many values have come for a client handle.
func (o *observer) count(handle uint32) int { return len(o.values[handle]) }

// subscribe100 wants every change of 100 variables.
func (s *script) subscribe100(ctx context.Context) (string, error) {
	const during, atLeast = 5 * time.Second, 30
	total := 0
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		var items []item
		for i, text := range s.cfg.Bench.NodeIDs {
			items = append(items, item{node: ua.MustParseNodeID(text), handle: uint32(i), queue: 20})
		}
		o, _, err := observe(ctx, c, fastInterval, items...)
		if err != nil {
			return err
		}
		if err := o.collect(ctx, during); err != nil {
			return err
		}
		for i, text := range s.cfg.Bench.NodeIDs {
			values := o.values[uint32(i)]
			if err := consecutive(values, atLeast); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
			total += len(values)
		}
		return o.Cancel(ctx)
	})
	return fmt.Sprintf("%d values", total), err
}

// consecutive wants at least so many values, each one more than the one before.
func consecutive(values []*ua.DataValue, atLeast int) error {
	if len(values) < atLeast {
		return fmt.Errorf("%d values, at least %d wanted", len(values), atLeast)
	}
	for i, v := range values {
		if v.Status != ua.StatusOK {
			return v.Status
		}
		if i > 0 && math.Abs(number(v)-number(values[i-1])-1) > 1e-6 {
			return fmt.Errorf("%v follows %v", v.Value.Value(), values[i-1].Value.Value())
		}
	}
	return nil
}

// number is the value as a number, NaN for none.
func number(v *ua.DataValue) float64 {
	switch x := v.Value.Value().(type) {
	case float64:
		return x
	case uint32:
		return float64(x)
	default:
		return math.NaN()
	}
}

// twoSubscriptions wants each to publish at its own rate.
func (s *script) twoSubscriptions(ctx context.Context) (string, error) {
	detail := ""
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		counter := item{node: ua.MustParseNodeID(s.cfg.Counters["100ms"])}
		fast, _, err := observe(ctx, c, fastInterval, counter)
		if err != nil {
			return err
		}
		slow, _, err := observe(ctx, c, 5*fastInterval, counter)
		if err != nil {
			return err
		}
		if err := fast.collect(ctx, 3*time.Second); err != nil {
			return err
		}
		if err := slow.collect(ctx, fastInterval); err != nil {
			return err
		}
		detail = fmt.Sprintf("%d and %d values", fast.count(0), slow.count(0))
		if slow.count(0) == 0 || fast.count(0) < 2*slow.count(0) {
			return fmt.Errorf("%s in 3 s", detail)
		}
		if err := fast.Cancel(ctx); err != nil {
			return err
		}
		return slow.Cancel(ctx)
	})
	return detail, err
}
