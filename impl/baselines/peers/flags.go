package peers

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
)

// Options is what the flags say.
type Options struct {
	ID      string
	Members map[string]string // address of each, by id
	Data    string
	HTTP    string // or "", for none
	Profile string // default or fast
	Log     slog.Level
}

// Off is a level above all that is logged.
const Off = slog.LevelError + 1

// levels are those of -log, by name.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError, "off": Off,
}

// parse reads the flags. What is wrong with them it says in its error.
func (s System) parse(arguments []string, out io.Writer) (Options, error) {
	var o Options
	var members, level string
	flags := flag.NewFlagSet(s.Name, flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.ID, "id", "", "`ID` of this node")
	flags.StringVar(&members, "members", "", s.Members+": `1="+s.Address+",2=…`")
	flags.StringVar(&o.Data, "data", "", s.Data)
	flags.StringVar(&o.HTTP, "http", "", "`ADDR` to serve /status, /events and /healthz on")
	flags.StringVar(&o.Profile, "profile", "default", "timeouts: default or fast")
	flags.StringVar(&level, "log", "warn", "least `LEVEL` that is logged: debug, info, warn, error or off")
	if s.Flags != nil {
		s.Flags(flags)
	}
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("there are no arguments but flags, and %q is none", flags.Arg(0))
	}
	var err error
	if o.Members, err = s.parseMembers(members); err != nil {
		return o, err
	}
	known := false
	if o.Log, known = levels[level]; !known {
		return o, fmt.Errorf("-log %s: want debug, info, warn, error or off", level)
	}
	switch {
	case o.Members[o.ID] == "":
		return o, fmt.Errorf("-id %q: is not among -members %s", o.ID, strings.Join(slices.Sorted(maps.Keys(o.Members)), ", "))
	case o.Data == "":
		return o, errors.New("-data: is missing")
	case o.Profile != "default" && o.Profile != "fast":
		return o, fmt.Errorf("-profile %s: want default or fast", o.Profile)
	}
	if s.Check != nil {
		err = s.Check(o)
	}
	return o, err
}

// parseMembers reads 1=HOST:PORT,2=….
func (s System) parseMembers(text string) (map[string]string, error) {
	if text == "" {
		return nil, fmt.Errorf("-members: is missing; want 1=%s,2=…", s.Address)
	}
	members := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		id, address, ok := strings.Cut(entry, "=")
		if !ok || id == "" {
			return nil, fmt.Errorf("-members: %q is not ID=%s", entry, s.Address)
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("-members: %q is not ID=%s: %w", entry, s.Address, err)
		}
		if members[id] != "" {
			return nil, fmt.Errorf("-members: %s is there twice", id)
		}
		members[id] = address
	}
	return members, nil
}
