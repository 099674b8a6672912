package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/ua"
)

// deadband wants only changes beyond an absolute and a percent deadband.
func (s *script) deadband(ctx context.Context) (string, error) {
	types := map[string]ua.DeadbandType{"absolute": ua.DeadbandTypeAbsolute, "percent": ua.DeadbandTypePercent}
	return "", s.with(ctx, s.main(), func(c *opcua.Client) error {
		var p problems
		for _, name := range slices.Sorted(maps.Keys(types)) {
			p.add(name, checkDeadband(ctx, c, types[name], s.cfg.Deadband[name]))
		}
		return p.err()
	})
}

func checkDeadband(ctx context.Context, c *opcua.Client, deadbandType ua.DeadbandType, b band) (err error) {
	node := ua.MustParseNodeID(b.NodeID)
	first, err := readValue(ctx, c, node, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writeValue(ctx, c, node, "", first)) }()
	if err := writeValue(ctx, c, node, "", ua.MustVariant(b.Base)); err != nil {
		return err
	}
	o, _, err := observe(ctx, c, fastInterval, item{node: node, filter: &ua.DataChangeFilter{
		Trigger:       ua.DataChangeTriggerStatusValue,
		DeadbandType:  uint32(deadbandType),
		DeadbandValue: b.Deadband,
	}})
	if err != nil {
		return err
	}
	var got []float64
	for _, next := range []float64{b.Inside, b.Outside} {
		if err := o.collect(ctx, 5*fastInterval); err != nil {
			return err
		}
		if err := writeValue(ctx, c, node, "", ua.MustVariant(next)); err != nil {
			return err
		}
	}
	if err := o.collect(ctx, 5*fastInterval); err != nil {
		return err
	}
	for _, v := range o.values[0] {
		got = append(got, number(v))
	}
	if want := []float64{b.Base, b.Outside}; !slices.Equal(got, want) {
		return fmt.Errorf("reported %v instead of %v", got, want)
	}
	return o.Cancel(ctx)
}

// modifyItems makes an item faster.
func (s *script) modifyItems(ctx context.Context) (string, error) {
	detail := ""
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		node := ua.MustParseNodeID(s.cfg.Counters["10ms"])
		o, ids, err := observe(ctx, c, fastInterval, item{node: node, interval: time.Second})
		if err != nil {
			return err
		}
		if err := o.freshly(ctx, 2*time.Second); err != nil {
			return err
		}
		before := o.count(0)
		res, err := o.ModifyMonitoredItems(ctx, ua.TimestampsToReturnBoth, &ua.MonitoredItemModifyRequest{
			MonitoredItemID:     ids[0],
			RequestedParameters: &ua.MonitoringParameters{ClientHandle: 1, SamplingInterval: 50, QueueSize: 10, DiscardOldest: true},
		})
		if err != nil {
			return err
		}
		if r := res.Results[0]; r.StatusCode != ua.StatusOK || r.RevisedSamplingInterval != 50 || r.RevisedQueueSize != 10 {
			return fmt.Errorf("%s, sampling interval %v, queue size %d", statusName(r.StatusCode), r.RevisedSamplingInterval, r.RevisedQueueSize)
		}
		if err := o.freshly(ctx, time.Second); err != nil {
			return err
		}
		detail = fmt.Sprintf("%d values in 2 s, then %d in 1 s", before, o.count(1))
		if before == 0 || o.count(0) != 0 || o.count(1) <= before {
			return fmt.Errorf("%s, %d with the old handle", detail, o.count(0))
		}
		return o.Cancel(ctx)
	})
	return detail, err
}

// disableItems wants silence from a disabled item and values from one enabled again.
func (s *script) disableItems(ctx context.Context) (string, error) {
	return "", s.with(ctx, s.main(), func(c *opcua.Client) error {
		o, ids, err := observe(ctx, c, fastInterval, item{node: ua.MustParseNodeID(s.cfg.Counters["100ms"])})
		if err != nil {
			return err
		}
		if err := o.collect(ctx, 3*fastInterval); err != nil {
			return err
		}
		if err := o.switchMode(ctx, ua.MonitoringModeDisabled, ids); err != nil {
			return err
		}
		if o.count(0) != 0 {
			return fmt.Errorf("%d values while disabled", o.count(0))
		}
		if err := o.switchMode(ctx, ua.MonitoringModeReporting, ids); err != nil {
			return err
		}
		if o.count(0) == 0 {
			return errors.New("no values after it was enabled again")
		}
		return o.Cancel(ctx)
	})
}

func (o *observer) switchMode(ctx context.Context, mode ua.MonitoringMode, ids []uint32) error {
	res, err := o.SetMonitoringMode(ctx, mode, ids...)
	if err != nil {
		return fmt.Errorf("SetMonitoringMode: %w", err)
	}
	for _, status := range res.Results {
		if status != ua.StatusOK {
			return fmt.Errorf("SetMonitoringMode: %w", status)
		}
	}
	return o.freshly(ctx, 6*fastInterval)
}

// setTriggering wants a sampling item's value only once the item it is linked to has changed.
func (s *script) setTriggering(ctx context.Context) (string, error) {
	node := ua.MustParseNodeID(s.cfg.Triggering.Triggering)
	return "", s.with(ctx, s.main(), func(c *opcua.Client) error {
		const triggering, triggered = 1, 2
		first, err := readValue(ctx, c, node, "")
		if err != nil {
			return err
		}
		o, ids, err := observe(ctx, c, fastInterval,
			item{node: node, handle: triggering},
			item{node: ua.MustParseNodeID(s.cfg.Triggering.Triggered), handle: triggered, sampling: true},
		)
		if err != nil {
			return err
		}
		if err := o.collect(ctx, 3*fastInterval); err != nil {
			return err
		}
		clear(o.values)
		res, err := o.SetTriggering(ctx, ids[0], ids[1:], nil)
		if err != nil {
			return err
		}
		if len(res.AddResults) != 1 || res.AddResults[0] != ua.StatusOK {
			return fmt.Errorf("SetTriggering: %v", res.AddResults)
		}
		if err := o.collect(ctx, 5*fastInterval); err != nil {
			return err
		}
		if o.count(triggered) != 0 {
			return fmt.Errorf("%d values of the triggered item before the trigger", o.count(triggered))
		}
		if err := writeValue(ctx, c, node, "", ua.MustVariant(int32(time.Now().Unix()))); err != nil {
			return err
		}
		if err := o.collect(ctx, 5*fastInterval); err != nil {
			return err
		}
		if o.count(triggering) != 1 || o.count(triggered) != 1 {
			return fmt.Errorf("%d values of the triggering item, %d of the triggered one", o.count(triggering), o.count(triggered))
		}
		return errors.Join(writeValue(ctx, c, node, "", first), o.Cancel(ctx))
	})
}
