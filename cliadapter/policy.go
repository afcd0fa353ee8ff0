package cliadapter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources"
)

func (c builder) policyCommand() *cli.Command {
	return &cli.Command{
		Name: "policy", Category: groupRun, Usage: "Check who may do what on a server",
		Subcommands: []*cli.Command{c.Add(&cli.Command{
			Name: "check", Usage: "Check a policy, and explain what it permits",
			Description: "Reads a policy as roget serve --auth-policy does: keys, resource types, search parameters, and whether the value " +
				"sets are loaded or stored. With --as it explains which rules apply to a principal, and what they permit. With a request, such as " +
				"\"GET /Patient/1\" or \"search Condition?code=x\", it explains whether the principal may make it; the exit code is then 0 for " +
				"yes, at least for some resources, and 1 for no.",
			Flags: append(sourceOptions(),
				&command.Flag{Env: "ROGET_STORE", StringFlag: cli.StringFlag{Name: "store", Usage: "`ADDRESS` Resource store with further code systems and value sets: sqlite:PATH or postgres://... By default that of the data folder."}},
				storePasswordFlag(),
				&cli.StringFlag{Name: "as", Usage: "`PRINCIPAL` Conditions of a principal, such as method=jwt,issuer=https://id.example,subject=ada,role=nurse,patient=7, or anonymous. role may be repeated."},
				&cli.StringFlag{Name: "scopes", Usage: "`SCOPES` Scopes of the principal's token, with blanks between them. Without this flag the credentials carry none, as a password does."},
			),
		}, command.Details{
			Access: command.Reads,
			Args: []command.Argument{
				{Name: "FILE", Required: true, Usage: "Policy in TOML."},
				{Name: "REQUEST", Usage: "Request to explain. Requires --as."},
			},
			Examples: []string{
				"roget policy check policy.toml",
				`roget policy check policy.toml --as method=jwt,role=nurse --scopes "user/*.rs" "GET /Patient/1"`,
				"roget policy check policy.toml --store postgres://roget@db/roget",
			},
			Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.checkPolicy(ctx) }),
		})},
	}
}

// maxPolicy is the largest policy, in bytes.
const maxPolicy = 4 << 20

func (inv *invocation) checkPolicy(ctx context.Context) error {
	path := inv.Args()[0]
	content, err := readSmall(path, maxPolicy)
	if err != nil {
		return err
	}
	src := Sources{Load: inv.List("load"), Data: inv.Text("data"), Base: true, Samples: true}
	if src.Data == "" {
		src.Data, src.Optional = defaultData, true
	}
	if src.Store, err = inv.storeAddress(); err != nil {
		return err
	}
	return inv.cli.config.Backend.Scopes(ctx, src, inv.observer(), func(svc *resources.Service) error {
		p, err := policy.Parse(path, string(content), func(s access.Scope) error { return svc.CheckScope(ctx, s) })
		if err != nil {
			return err
		}
		return inv.explainPolicy(ctx, svc, path, p)
	})
}

// explainPolicy prints what a policy permits. The service answers as that of a server does.
func (inv *invocation) explainPolicy(ctx context.Context, svc *resources.Service, path string, p *policy.Policy) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s, no errors\n", path, command.Counted(len(p.Rules), "rule"))
	if inv.Text("as") == "" {
		if len(inv.Args()) > 1 {
			return command.Usagef("a request needs --as, which says who makes it")
		}
		return command.Write(inv.Out, []byte(out.String()))
	}
	who, err := parsePrincipal(inv.Text("as"))
	if err != nil {
		return err
	}
	if who != nil && inv.IsSet("scopes") {
		who.Scopes = append([]string{}, strings.Fields(inv.Text("scopes"))...)
	}
	grant, err := p.Authorize(ctx, who)
	if err != nil {
		return err
	}
	explainRules(&out, p, who, grant)
	if len(inv.Args()) < 2 {
		return command.Write(inv.Out, []byte(out.String()))
	}
	request, err := policy.ParseRequest(inv.Args()[1])
	if err != nil {
		return command.Usagef("%w", err)
	}
	yes := explainVerdict(ctx, &out, svc, grant, request)
	if err := command.Write(inv.Out, []byte(out.String())); err != nil {
		return err
	}
	if !yes {
		return command.ErrNo
	}
	return nil
}

// explainRules prints which rules apply and what they permit together.
func explainRules(out *strings.Builder, p *policy.Policy, who *access.Principal, g *access.Grant) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if unmet := r.Unmet(who); unmet != "" {
			fmt.Fprintf(out, "line %d, %s: does not apply, as %s\n", r.Line, r.Name, unmet)
		} else {
			fmt.Fprintf(out, "line %d, %s: applies\n", r.Line, r.Name)
		}
	}
	if g == nil {
		fmt.Fprintln(out, "permits nothing")
		return
	}
	fmt.Fprintf(out, "allows: %s\n", scopeTexts(g.Allow))
	fmt.Fprintf(out, "denies: %s\n", scopeTexts(g.Deny))
	if g.Patient != "" {
		fmt.Fprintf(out, "patient: %s\n", g.Patient)
	}
}

// explainVerdict prints what a service permits of a request, and reports whether that is anything.
func explainVerdict(ctx context.Context, out *strings.Builder, svc *resources.Service, g *access.Grant, r policy.Request) bool {
	what := fmt.Sprintf("%s of %s", r.Name, r.Type)
	if g == nil {
		fmt.Fprintf(out, "no: %s: no rule applies\n", what)
		return false
	}
	ctx = access.WithGrant(ctx, g)
	every := true
	for _, need := range append([]policy.Need{{Type: r.Type, Actions: r.Action}}, r.Also...) {
		all, err := svc.Permits(ctx, need.Type, need.Actions)
		if err != nil {
			fmt.Fprintf(out, "no: %s: %s\n", what, strings.TrimPrefix(err.Error(), access.ErrForbidden.Error()+": "))
			return false
		}
		every = every && all
	}
	allowed, denied := scopeTexts(about(g.Allow, r)), scopeTexts(about(g.Deny, r))
	switch {
	case every:
		fmt.Fprintf(out, "yes: %s, of every resource, by %s\n", what, allowed)
	case denied == noScope:
		fmt.Fprintf(out, "yes, of some: %s of the resources that %s covers\n", what, allowed)
	default:
		fmt.Fprintf(out, "yes, of some: %s of the resources that %s covers, except those of %s\n", what, allowed, denied)
	}
	return true
}

// about returns the scopes that are about a request.
func about(list []access.Scope, r policy.Request) []access.Scope {
	return slices.DeleteFunc(slices.Clone(list), func(s access.Scope) bool { return !s.Covers(r.Type, r.Action) })
}

// noScope stands for an empty list of scopes.
const noScope = "nothing"

func scopeTexts(list []access.Scope) string {
	if len(list) == 0 {
		return noScope
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.String()
	}
	return strings.Join(texts, ", ")
}

// parsePrincipal reads --as. nil stands for a request without credentials.
func parsePrincipal(text string) (*access.Principal, error) {
	if text == policy.Anonymous || text == "method="+policy.Anonymous {
		return nil, nil
	}
	p := &access.Principal{Method: "jwt"}
	for _, pair := range strings.Split(text, ",") {
		name, value, found := strings.Cut(pair, "=")
		field := map[string]*string{
			"method": &p.Method, "issuer": &p.Issuer, "client": &p.Client, "subject": &p.Subject, "patient": &p.Patient, "user": &p.User,
		}[name]
		switch {
		case found && (name == "role" || name == "certificate"):
			p.Roles = append(p.Roles, value)
		case !found || field == nil:
			return nil, command.Usagef("--as: %q is not one of method=, issuer=, client=, subject=, role=, certificate=, patient=, user= with a value, or anonymous", pair)
		default:
			*field = value
		}
	}
	return p, nil
}
