//go:build linux

package live

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// TokenVariable is the environment variable that a token comes from if nothing else names one.
const TokenVariable = "HALFPEAK_TOKEN"

// Token returns the token of a server or its client: the given word, or the first line of a file,
// or else the value of [TokenVariable]; "" if all are missing. In a file or the environment, ps
// does not show it. An empty file is an error, since it would admit everybody.
func Token(word, path string) (string, error) {
	switch {
	case word != "" && path != "":
		return "", errors.New("two tokens: give --token or --token-file")
	case word != "":
		return checkToken(word, "--token")
	case path == "":
		return checkToken(os.Getenv(TokenVariable), TokenVariable)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the token: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err != nil {
		return "", fmt.Errorf("the token: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("%q: the first line is empty, and should be a token", path)
	}
	return checkToken(line, strconv.Quote(path))
}

// longestToken fits into a hello, however JSON writes it.
const longestToken = maxLine / 16

func checkToken(token, from string) (string, error) {
	if len(token) > longestToken {
		return "", fmt.Errorf("%s: a token has at most %d bytes", from, longestToken)
	}
	return token, nil
}
