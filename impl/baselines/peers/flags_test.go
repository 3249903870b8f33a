package peers

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// toy is a system whose nodes cannot be started.
var toy = System{
	Name: "toynode", Address: "HOST:PORT",
	Check: func(o Options) error {
		if o.ID == "bad" {
			return errors.New("-id: is bad")
		}
		return nil
	},
	Start: func(Options, io.Writer) (Node, error) { return nil, errors.New("it cannot start") },
}

func TestFlags(t *testing.T) {
	good := "-id 2 -members 1=a:1,2=b:2 -data d"
	for _, test := range []struct {
		flags, want string
	}{
		{"", `-members: is missing; want 1=HOST:PORT,2=…`},
		{"-members 1", `-members: "1" is not ID=HOST:PORT`},
		{"-members =a:1", `-members: "=a:1" is not ID=HOST:PORT`},
		{"-members 1=a", `-members: "1=a" is not ID=HOST:PORT: address a: missing port in address`},
		{"-members 1=a:1,1=b:2", `-members: 1 is there twice`},
		{"-members 1=a:1,", `-members: "" is not ID=HOST:PORT`},
		{"-members 2=a:1,1=b:1 -data d", `-id "": is not among -members 1, 2`},
		{"-members 2=a:1,1=b:1 -data d -id 3", `-id "3": is not among -members 1, 2`},
		{"-members 1=a:1 -id 1", `-data: is missing`},
		{good + " -profile quick", `-profile quick: want default or fast`},
		{good + " -log loud", `-log loud: want debug, info, warn, error or off`},
		{good + " more", `there are no arguments but flags, and "more" is none`},
		{"-members bad=a:1 -data d -id bad", `-id: is bad`},
	} {
		var log strings.Builder
		require.Equal(t, 2, toy.Run(context.Background(), strings.Fields(test.flags), &log), test.flags)
		require.Equal(t, "toynode: "+test.want+"\n", log.String(), test.flags)
	}
	var log strings.Builder
	require.Equal(t, 2, toy.Run(context.Background(), []string{"-fats"}, &log))
	require.Contains(t, log.String(), "flag provided but not defined: -fats")
	require.Equal(t, 0, toy.Run(context.Background(), []string{"-help"}, &log))

	o, err := toy.parse(strings.Fields(good+" -http :0"), &log)
	require.NoError(t, err)
	require.Equal(t, "default", o.Profile)
	require.Equal(t, map[string]string{"1": "a:1", "2": "b:2"}, o.Members)
	require.Equal(t, ":0", o.HTTP)

	log.Reset()
	require.Equal(t, 1, toy.Run(context.Background(), strings.Fields(good), &log))
	require.Equal(t, "toynode: it cannot start\n", log.String())
}
