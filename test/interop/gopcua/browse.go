package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/ua"
)

const nodesPerRequest = 50

// browser collects every node that forward references lead to.
type browser struct {
	client        *opcua.Client
	maxReferences uint32
	known         map[string]bool
	found         []*ua.NodeID
	continuations int
}

// browseAll follows all forward references and compares the number of nodes.
func (s *script) browseAll(ctx context.Context) (string, error) {
	root := ua.MustParseNodeID(s.cfg.Browse.StartNodeID)
	b := &browser{
		maxReferences: s.cfg.Browse.MaxReferencesPerNode,
		known:         map[string]bool{root.String(): true},
		found:         []*ua.NodeID{root},
	}
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		b.client = c
		for from := 0; from < len(b.found); {
			to := min(from+nodesPerRequest, len(b.found))
			if err := b.browse(ctx, b.found[from:to]); err != nil {
				return err
			}
			from = to
		}
		return nil
	})
	if err == nil && len(b.found) != s.cfg.Browse.NodeCount {
		err = fmt.Errorf("%d nodes instead of %d", len(b.found), s.cfg.Browse.NodeCount)
	}
	return fmt.Sprintf("%d nodes, %d continuations", len(b.found), b.continuations), err
}

func (b *browser) browse(ctx context.Context, nodes []*ua.NodeID) error {
	request := &ua.BrowseRequest{RequestedMaxReferencesPerNode: b.maxReferences}
	for _, node := range nodes {
		request.NodesToBrowse = append(request.NodesToBrowse, &ua.BrowseDescription{
			NodeID:          node,
			BrowseDirection: ua.BrowseDirectionForward,
			ReferenceTypeID: ua.NewTwoByteNodeID(0),
			IncludeSubtypes: true,
			ResultMask:      uint32(ua.BrowseResultMaskAll),
		})
	}
	res, err := b.client.Browse(ctx, request)
	if err != nil {
		return err
	}
	var later []*ua.NodeID
	var points [][]byte
	for i, result := range res.Results {
		if result.StatusCode == ua.StatusBadNoContinuationPoints {
			later = append(later, nodes[i])
			continue
		}
		if points, err = b.take(result, points); err != nil {
			return fmt.Errorf("%s: %w", nodes[i], err)
		}
	}
	if len(later) == len(nodes) {
		return ua.StatusBadNoContinuationPoints
	}
	if err := b.continueBrowsing(ctx, points); err != nil || len(later) == 0 {
		return err
	}
	return b.browse(ctx, later)
}

func (b *browser) continueBrowsing(ctx context.Context, points [][]byte) error {
	for len(points) > 0 {
		b.continuations += len(points)
		res, err := b.client.BrowseNext(ctx, &ua.BrowseNextRequest{ContinuationPoints: points})
		if err != nil {
			return fmt.Errorf("BrowseNext: %w", err)
		}
		points = nil
		for _, result := range res.Results {
			if points, err = b.take(result, points); err != nil {
				return fmt.Errorf("BrowseNext: %w", err)
			}
		}
	}
	return nil
}

// take notes the targets of the references, and adds the continuation point if there is one.
func (b *browser) take(result *ua.BrowseResult, points [][]byte) ([][]byte, error) {
	if result.StatusCode != ua.StatusOK {
		return nil, result.StatusCode
	}
	if len(result.References) > int(b.maxReferences) {
		return nil, fmt.Errorf("%d references at once", len(result.References))
	}
	for _, reference := range result.References {
		target := reference.NodeID
		key := target.NodeID.String()
		if target.ServerIndex == 0 && target.NamespaceURI == "" && !b.known[key] {
			b.known[key] = true
			b.found = append(b.found, target.NodeID)
		}
	}
	if len(result.ContinuationPoint) > 0 {
		points = append(points, result.ContinuationPoint)
	}
	return points, nil
}

const lastAttribute = ua.AttributeIDAccessLevelEx

// readAttributes compares the attributes that nodes have with those of their NodeClass.
func (s *script) readAttributes(ctx context.Context) (string, error) {
	classes := slices.Collect(maps.Values(s.cfg.Attributes))
	err := s.with(ctx, s.main(), func(c *opcua.Client) error {
		for texts := range slices.Chunk(s.cfg.AttributeNodes, nodesPerRequest) {
			if err := readAttributesOf(ctx, c, classes, texts); err != nil {
				return err
			}
		}
		return nil
	})
	return fmt.Sprintf("%d nodes", len(s.cfg.AttributeNodes)), err
}

func readAttributesOf(ctx context.Context, c *opcua.Client, classes []class, texts []string) error {
	request := &ua.ReadRequest{TimestampsToReturn: ua.TimestampsToReturnBoth}
	for _, text := range texts {
		node := ua.MustParseNodeID(text)
		for attribute := ua.AttributeIDNodeID; attribute <= lastAttribute; attribute++ {
			request.NodesToRead = append(request.NodesToRead, &ua.ReadValueID{NodeID: node, AttributeID: attribute})
		}
	}
	res, err := c.Read(ctx, request)
	if err != nil {
		return err
	}
	if len(res.Results) != len(request.NodesToRead) {
		return fmt.Errorf("%d results for %d attributes", len(res.Results), len(request.NodesToRead))
	}
	for i, text := range texts {
		if err := checkAttributes(classes, res.Results[i*int(lastAttribute):(i+1)*int(lastAttribute)]); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// checkAttributes checks the results of attribute 1 and those after it.
func checkAttributes(classes []class, results []*ua.DataValue) error {
	nodeClass, _ := results[ua.AttributeIDNodeClass-1].Value.Value().(int32)
	i := slices.IndexFunc(classes, func(c class) bool { return c.NodeClass == nodeClass })
	if i == -1 {
		return fmt.Errorf("NodeClass %d", nodeClass)
	}
	for j, result := range results {
		attribute := ua.AttributeID(j + 1)
		if !classes[i].allows(attribute, result.Status) {
			return fmt.Errorf("attribute %d: %s", attribute, statusName(result.Status))
		}
	}
	return nil
}

func (c class) allows(attribute ua.AttributeID, status ua.StatusCode) bool {
	switch missing := status == ua.StatusBadAttributeIDInvalid; {
	case slices.Contains(c.Mandatory, attribute):
		return status == ua.StatusOK || attribute == ua.AttributeIDValue && !missing
	case !slices.Contains(c.Optional, attribute):
		return missing
	case attribute == ua.AttributeIDRolePermissions || attribute == ua.AttributeIDUserRolePermissions:
		return status == ua.StatusOK || missing || status == ua.StatusBadUserAccessDenied || status == ua.StatusBadNotReadable
	default:
		return status == ua.StatusOK || missing
	}
}
