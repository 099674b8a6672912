package main

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopcua/opcua"
	"github.com/gopcua/opcua/id"
	"github.com/gopcua/opcua/ua"
)

// script knows the server to play against.
type script struct{ cfg config }

// login says how to connect. Without a user the session is anonymous, without an identity it is the trusted one's.
type login struct {
	endpoint endpoint
	user     *user
	identity *identity
	url      string
	options  []opcua.Option
}

// main is the session that may see and write everything.
func (s *script) main() login { return login{endpoint: s.cfg.Main, user: &s.cfg.User} }

// endpoints wants exactly the endpoints expected, with the server's certificate.
func (s *script) endpoints(ctx context.Context) (string, error) {
	certificate, err := os.ReadFile(s.cfg.ServerCertificateFile)
	if err != nil {
		return "", err
	}
	descriptions, err := opcua.GetEndpoints(ctx, s.cfg.URL)
	if err != nil {
		return "", err
	}
	// Other transports have endpoints of their own.
	descriptions = slices.DeleteFunc(descriptions, func(d *ua.EndpointDescription) bool {
		return !strings.HasPrefix(d.EndpointURL, "opc.tcp:")
	})
	for _, want := range s.cfg.Endpoints {
		if !slices.ContainsFunc(descriptions, want.describedBy) {
			return "", fmt.Errorf("%s %s is not offered", want.Policy, want.Mode)
		}
	}
	if len(descriptions) != len(s.cfg.Endpoints) {
		return "", fmt.Errorf("%d endpoints instead of %d", len(descriptions), len(s.cfg.Endpoints))
	}
	for _, d := range descriptions {
		if !bytes.Equal(d.ServerCertificate, certificate) {
			return "", fmt.Errorf("another certificate at %s %s", d.SecurityPolicyURI, d.SecurityMode)
		}
	}
	return fmt.Sprintf("%d endpoints", len(descriptions)), nil
}

func (e endpoint) describedBy(d *ua.EndpointDescription) bool {
	return d.SecurityPolicyURI == e.PolicyURI && d.SecurityMode == e.securityMode()
}

// connectWith connects, reads the server's time and closes.
func (s *script) connectWith(l login) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		return "", s.with(ctx, l, func(c *opcua.Client) error {
			_, err := readValue(ctx, c, ua.NewNumericNodeID(0, id.Server_ServerStatus_CurrentTime), "")
			return err
		})
	}
}

func (s *script) wrongPassword(ctx context.Context) (string, error) {
	l := s.main()
	l.user = &user{Name: s.cfg.User.Name, Password: s.cfg.WrongPassword}
	return s.wantRefusal(ctx, l, s.cfg.Expect.WrongPassword)
}

func (s *script) untrustedCertificate(ctx context.Context) (string, error) {
	l := s.main()
	l.identity = &s.cfg.Untrusted
	name, err := s.wantRefusal(ctx, l, s.cfg.Expect.UntrustedCertificate)
	if errors.Is(err, io.EOF) {
		return "", cannot("refused, but the client drops the StatusCode of an ERR message and says EOF")
	}
	return name, err
}

func (s *script) wantRefusal(ctx context.Context, l login, expected []string) (string, error) {
	err := s.with(ctx, l, func(*opcua.Client) error { return nil })
	if err == nil {
		return "", errors.New("accepted")
	}
	if name := statusName(err); slices.Contains(expected, name) {
		return name, nil
	}
	return "", err
}

// with connects, runs f and closes.
func (s *script) with(ctx context.Context, l login, f func(c *opcua.Client) error) (err error) {
	c, err := s.connect(ctx, l)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if closed := c.Close(closing); err == nil && closed != nil {
			err = fmt.Errorf("close: %w", closed)
		}
	}()
	return f(c)
}

func (s *script) connect(ctx context.Context, l login) (*opcua.Client, error) {
	if l.url == "" {
		l.url = s.cfg.URL
	}
	if l.identity == nil {
		l.identity = &s.cfg.Client
	}
	descriptions, err := opcua.GetEndpoints(ctx, s.cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("GetEndpoints: %w", err)
	}
	description, err := opcua.SelectEndpoint(descriptions, l.endpoint.PolicyURI, l.endpoint.securityMode())
	if err != nil {
		return nil, err
	}
	options := []opcua.Option{opcua.ApplicationURI(l.identity.ApplicationURI), opcua.AutoReconnect(false)}
	if l.endpoint.securityMode() != ua.MessageSecurityModeNone {
		key, err := l.identity.privateKey()
		if err != nil {
			return nil, err
		}
		options = append(options, opcua.CertificateFile(l.identity.CertificateFile), opcua.PrivateKey(key))
	}
	tokenType := ua.UserTokenTypeAnonymous
	if l.user != nil {
		tokenType = ua.UserTokenTypeUserName
		options = append(options, opcua.AuthUsername(l.user.Name, l.user.Password))
	}
	options = append(options, opcua.SecurityFromEndpoint(description, tokenType))
	c, err := opcua.NewClient(l.url, append(options, l.options...)...)
	if err != nil {
		return nil, err
	}
	if err := c.Connect(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// privateKey reads PKCS #8, which opcua.PrivateKeyFile doesn't.
func (i *identity) privateKey() (*rsa.PrivateKey, error) {
	der, err := os.ReadFile(i.PrivateKeyFile)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.PrivateKeyFile, err)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s holds no RSA key", i.PrivateKeyFile)
	}
	return key, nil
}
