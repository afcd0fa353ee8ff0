package budget

import "context"

// Key is the context key of an Account, for types that implement context.Context themselves.
type Key struct{}

// With returns a context whose work takes its memory from an account.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, Key{}, a)
}

// Of returns the account of a context, or nil.
func Of(ctx context.Context) *Account {
	a, _ := ctx.Value(Key{}).(*Account)
	return a
}

// Take takes n bytes from the account of a context, if there is one and n is not small.
func Take(ctx context.Context, n int64) error {
	if n < Small {
		return nil
	}
	return Of(ctx).Take(ctx, n)
}

// Try is Take for work that must not wait, such as a transaction, for which others wait.
func Try(ctx context.Context, n int64) error {
	if n < Small {
		return nil
	}
	return Of(ctx).Try(n)
}

// Borrow is Try for bytes that are given back with Repay.
func Borrow(ctx context.Context, n int64) error {
	if n < Small {
		return nil
	}
	return Of(ctx).Borrow(n)
}

// Repay gives back n bytes of what the account of a context has borrowed, at most all.
func Repay(ctx context.Context, n int64) {
	if n >= Small {
		Of(ctx).Repay(n)
	}
}
