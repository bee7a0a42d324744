// Package formula computes formulas of platform files and of commands.
//
// [Eval] computes a formula whose numbers may have units, and checks the dimensions:
//
//	28.1us/2 - o_s - o_r        a time, with o_s and o_r from the scope
//	1/(24MB/s)                  an inverse bandwidth
//	33MHz * 32bit               a rate: 132 MB/s
//	sqrt(64KiB * 1.3us / (27us/KB))
//
// The operators are + - * / and parentheses; sqrt, min, max and ceil are built in.
package formula

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Eval computes a formula (see the package comment). The scope may be nil, if
// the formula has no names. Errors name the column, counted in characters from 1.
func Eval(text string, scope Scope) (quantity.Value, error) {
	e, err := parse(text, func(name string, args []any) (*Expr, error) {
		if scope == nil {
			return nil, fmt.Errorf("no such name %q", name)
		}
		v, err := scope(name, args)
		return constant(v), err
	})
	if err != nil {
		return quantity.Value{}, err
	}
	return quantity.Value{Num: e.num, Dim: e.Dim}, nil
}

// A Scope gives the values of a formula's names and functions. Arguments are of
// type [quantity.Value], or string where the formula has a quoted text. A name that is
// not a function comes without arguments (nil), a function always with a slice.
type Scope func(name string, args []any) (quantity.Value, error)

// Compile parses a formula (see the package comment) as [Eval] does; names returns the variable for
// a name or a function of texts.
func Compile(text string, names func(name string, args []any) (Variable, error)) (*Expr, error) {
	return parse(text, func(name string, args []any) (*Expr, error) {
		v, err := names(name, args)
		return &Expr{Dim: v.Dim, variable: true, at: v.Index}, err
	})
}

// A Variable is the meaning of a name in [Compile].
type Variable struct {
	Index int // into the values of [Expr.Compute]
	Dim   quantity.Dimension
}

// parse parses a whole formula; name returns the expression for a name or a function that is not
// built in.
func parse(text string, name func(name string, args []any) (*Expr, error)) (e *Expr, err error) {
	p := parser{text: text, name: name}
	defer func() {
		switch r := recover().(type) {
		case nil:
		// Any other panic is a mistake of the program and goes on.
		case syntaxError:
			err = r.error
		default:
			panic(r)
		}
	}()
	e = p.sum()
	if p.skipSpace(); p.pos < len(text) {
		if m := decimalComma.FindStringSubmatch(text); m != nil && text[p.pos] == ',' {
			p.fail("write a decimal point and not a comma, as in %s.%s", m[1], m[2])
		}
		p.fail("unexpected %q; want an operator (+ - * /) or the end", firstRune(text[p.pos:]))
	}
	return e, nil
}

// decimalComma matches a number with a comma in place of the decimal point.
var decimalComma = regexp.MustCompile(`([0-9]+),([0-9]+)`)

// A syntaxError is a panic with the error that ends the parsing of a formula. The methods of the
// parser call each other deeply, and none of them can do anything about an error.
type syntaxError struct{ error }

// maxDepth is the deepest nesting that the parser accepts: a file of a million parentheses must not
// exhaust the stack, which would end the program.
const maxDepth = 100

type parser struct {
	text  string
	pos   int
	depth int
	name  func(name string, args []any) (*Expr, error)
}

// fail ends the parsing with an error at the current column.
func (p *parser) fail(format string, args ...any) {
	column := utf8.RuneCountInString(p.text[:p.pos]) + 1
	panic(syntaxError{fmt.Errorf("%q, column %d: %w", p.text, column, fmt.Errorf(format, args...))})
}

// nest enters a level of nesting, which leave ends.
func (p *parser) nest() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested deeper than %d", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) skipSpace() {
	p.pos = len(p.text) - len(strings.TrimLeftFunc(p.text[p.pos:], unicode.IsSpace))
}

// accept consumes c if it is next, after white space.
func (p *parser) accept(c byte) bool {
	p.skipSpace()
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// sum parses terms with + and − between them, from left to right. Both sides must have the same
// dimension: 3us + 4B is an error.
func (p *parser) sum() *Expr {
	p.nest()
	defer p.leave()
	e := p.product()
	for {
		op := add
		if p.accept('-') {
			op = subtract
		} else if !p.accept('+') {
			return e
		}
		at := p.pos - 1
		f := p.product()
		if e.Dim != f.Dim {
			p.pos = at // the column of the operator
			p.fail("cannot add %s and %s", e.Dim, f.Dim)
		}
		e = operate(op, e.Dim, e, f)
	}
}

// product parses factors with * and / between them; dimensions add up and cancel.
func (p *parser) product() *Expr {
	e := p.factor()
	for {
		switch {
		case p.accept('/'):
			f := p.factor()
			e = operate(divide, product(e, f, quantity.Value.Div), e, f)
		case p.accept('*'):
			f := p.factor()
			e = operate(multiply, product(e, f, quantity.Value.Mul), e, f)
		default:
			return e
		}
	}
}

// factor parses a number, a name, a call or a sum in parentheses, each with any number of minus
// signs before it.
func (p *parser) factor() *Expr {
	if p.accept('-') {
		p.nest()
		e := p.factor()
		p.leave()
		return operate(negate, e.Dim, e)
	}
	if p.accept('(') {
		e := p.sum()
		if !p.accept(')') {
			p.fail("missing )")
		}
		return e
	}
	if p.pos >= len(p.text) {
		p.fail("a number or a name is missing at the end")
	}
	if c := p.text[p.pos]; c >= '0' && c <= '9' || c == '.' {
		return constant(p.number())
	}
	name := p.identifier()
	if name == "" {
		p.fail("unexpected %q; want a number or a name", firstRune(p.text[p.pos:]))
	}
	return p.call(name)
}

// number reads a number and the longest unit after it: in 5.9us/KB the unit is us/KB, in 28.1us/2
// it is us.
func (p *parser) number() quantity.Value {
	num, rest, err := lex.LeadingNumber(p.text[p.pos:])
	if err != nil {
		p.fail("%w", err)
	}
	p.pos = len(p.text) - len(rest)
	start := p.pos
	p.skipSpace()
	word := unitWord(p.text[p.pos:])
	for try := word; try != ""; {
		if u, ok := quantity.Unit(try); ok {
			p.pos += len(try)
			return quantity.Value{Num: num * u.Num, Dim: u.Dim}
		}
		cut := strings.LastIndexByte(try, '/')
		if cut < 0 {
			near := ""
			if len(word) > 1 { // every unit of a letter is close to another letter
				near = usage.Near(word, quantity.ChoosableUnits)
			}
			p.fail("unknown unit %q%s", word, cmp.Or(near, "; times take ns, us, ms, s; "+
				"sizes B, KiB, MiB; rates MB/s, Mbit/s; inverse bandwidths us/KiB"))
		}
		try = try[:cut]
	}
	p.pos = start
	return quantity.Value{Num: num, Dim: quantity.DimNone}
}

// unitWord returns the letters, percent signs and slashes between letters at the front of text.
func unitWord(text string) string {
	end := 0
	for i, r := range text {
		// A slash belongs to the unit only right behind a letter: in 28us / g it divides.
		if unicode.IsLetter(r) || r == '%' && i == 0 {
			end = i + utf8.RuneLen(r)
		} else if r != '/' || i != end {
			break
		}
	}
	return text[:end]
}

// identifier reads a name: letters, digits, _ and inner dots.
func (p *parser) identifier() string {
	start := p.pos
	for p.pos < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.pos:])
		starts := unicode.IsLetter(r) || r == '_'
		continues := p.pos > start && (unicode.IsDigit(r) || r == '.')
		if r == utf8.RuneError || !starts && !continues {
			break
		}
		p.pos += size
	}
	return p.text[start:p.pos]
}

// call parses the arguments of name, if it has any, and returns the expression. Built-in functions
// come first, so a scope cannot redefine sqrt.
func (p *parser) call(name string) *Expr {
	at := p.pos - len(name)
	var args []any
	if p.accept('(') {
		args = []any{} // not nil: f() is a function, f a name
		for !p.accept(')') {
			if len(args) > 0 && !p.accept(',') {
				p.fail("missing , or ) in the arguments of %s", name)
			}
			args = append(args, p.argument())
		}
	}
	e, known, err := builtin(name, args)
	if !known {
		if args, err = values(name, args); err == nil {
			e, err = p.name(name, args)
		}
	}
	if err != nil {
		p.pos = at
		p.fail("%w", err)
	}
	return e
}

func (p *parser) argument() any {
	if !p.accept('"') {
		return p.sum()
	}
	s, rest, closed := strings.Cut(p.text[p.pos:], `"`)
	if !closed {
		p.fail(`missing closing "`)
	}
	p.pos = len(p.text) - len(rest)
	return s
}

// values returns the arguments of a function that is not built in, as a [Scope] takes them.
func values(function string, args []any) ([]any, error) {
	for i, a := range args {
		// A scope computes its functions while the formula is parsed, before parameters have
		// values.
		e, ok := a.(*Expr)
		if !ok {
			continue
		}
		if !e.constant() {
			return nil, fmt.Errorf("%s takes texts and numbers, not parameters", function)
		}
		args[i] = quantity.Value{Num: e.num, Dim: e.Dim}
	}
	return args, nil
}

// builtins holds the operations of the built-in functions.
var builtins = map[string]operation{
	"sqrt": {one: math.Sqrt}, "ceil": {one: math.Ceil},
	"min": {two: func(v, w float64) float64 { return min(v, w) }},
	"max": {two: func(v, w float64) float64 { return max(v, w) }},
}

func builtin(name string, args []any) (e *Expr, known bool, err error) {
	op, known := builtins[name]
	switch {
	case !known:
		return nil, false, nil
	case op.one != nil && len(args) != 1:
		return nil, true, fmt.Errorf("%s takes one argument", name)
	case len(args) == 0:
		return nil, true, fmt.Errorf("%s takes arguments", name)
	}
	numbers := make([]*Expr, len(args))
	for i, a := range args {
		number, ok := a.(*Expr)
		if !ok {
			return nil, true, fmt.Errorf("%s takes numbers, not %q", name, a)
		}
		numbers[i] = number
	}
	// The minimum of a time and a size means nothing, so all arguments have one dimension.
	dim := numbers[0].Dim
	for _, f := range numbers[1:] {
		if f.Dim != dim {
			return nil, true, fmt.Errorf("%s of %s and %s", name, dim, f.Dim)
		}
	}
	if name == "sqrt" { // it halves the exponents, which must stay whole
		if dim.Time%2 != 0 || dim.Size%2 != 0 {
			return nil, true, fmt.Errorf("sqrt of %s has no unit", dim)
		}
		dim = quantity.Dimension{Time: dim.Time / 2, Size: dim.Size / 2}
	}
	return operate(op, dim, numbers...), true, nil
}

func firstRune(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}
