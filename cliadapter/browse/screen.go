package browse

import (
	"context"
	"errors"
	"fmt"

	"github.com/gdamore/tcell/v3"
)

// A Terminal is what Run draws on. It is nil for the terminal of the process.
type Terminal = tcell.Tty

// ErrNoTerminal is returned by Run if there is no terminal, or one that cannot place text.
var ErrNoTerminal = errors.New("no terminal to draw on")

// Run shows a browser until it ends or ctx is cancelled. It leaves the terminal as it was.
func Run(ctx context.Context, m *Model, terminal Terminal) error {
	screen, err := tcell.NewTerminfoScreenFromTty(terminal, tcell.OptSanitizeContent(true), tcell.OptKeyboardProtocol(tcell.LegacyKeyboard))
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	defer screen.Fini()
	for {
		draw(screen, m)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event, open := <-screen.EventQ():
			switch e := event.(type) {
			case *tcell.EventKey:
				if m.Press(keyOf(e)) {
					return nil
				}
				if text, ok := m.Clipboard(); ok {
					screen.SetClipboard([]byte(text))
				}
			case *tcell.EventResize:
				screen.Sync()
			case *tcell.EventError:
				return e
			}
			if !open {
				return nil
			}
		}
	}
}

// draw shows the view of a model.
func draw(screen tcell.Screen, m *Model) {
	screen.Clear()
	width, height := screen.Size()
	for y, line := range m.View(width, height) {
		x := 0
		for _, s := range line {
			style := styleOf(s.Style)
			for text := s.Text; text != "" && x < width; {
				rest, columns := screen.Put(x, y, text, style)
				if len(rest) == len(text) {
					break
				}
				text, x = rest, x+columns
			}
		}
	}
	screen.Show()
}

func styleOf(s Style) tcell.Style {
	style := tcell.StyleDefault
	switch s {
	case Bold:
		return style.Bold(true)
	case Dim:
		return style.Dim(true)
	case Reverse:
		return style.Reverse(true)
	}
	return style
}

// keyOf returns what a key event stands for; "" for keys that do nothing.
func keyOf(e *tcell.EventKey) Key {
	switch e.Key() {
	case tcell.KeyUp:
		return Up
	case tcell.KeyDown:
		return Down
	case tcell.KeyLeft:
		return Left
	case tcell.KeyRight:
		return Right
	case tcell.KeyPgUp, tcell.KeyCtrlB:
		return PageUp
	case tcell.KeyPgDn, tcell.KeyCtrlF:
		return PageDown
	case tcell.KeyHome, tcell.KeyCtrlA:
		return Home
	case tcell.KeyEnd, tcell.KeyCtrlE:
		return End
	case tcell.KeyEnter:
		return Enter
	case tcell.KeyEscape:
		return Escape
	case tcell.KeyTab, tcell.KeyBacktab:
		return Tab
	case tcell.KeyBackspace, tcell.KeyDelete:
		return Backspace
	case tcell.KeyCtrlU:
		return Erase
	case tcell.KeyCtrlC, tcell.KeyCtrlD:
		return Quit
	case tcell.KeyRune:
		return Key(e.Str())
	}
	return ""
}
