package transport

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

const (
	lengthSize = 4
	frameSize  = lengthSize + spec.MessageSize // of a message without a configuration
)

// frames reads messages from a connection. It does what spec.ReadFrame does, but reads many frames at once, makes no
// garbage, and does not wait longer than timeout for the end of a frame that has begun. To wait for its first byte it
// takes as long as that takes.
type frames struct {
	conn       net.Conn
	timeout    time.Duration
	buffer     [2048]byte // at least the largest frame
	start, end int
	size       int  // of the last frame that next has found
	timed      bool // the frame that has begun has its deadline
	armed      bool // the connection has a deadline
}

// next returns the next message. Its errors are those of spec.ReadFrame, and those of the connection.
func (f *frames) next() (m spec.Message, err error) {
	for {
		have := f.buffer[f.start:f.end]
		if len(have) >= lengthSize {
			length := binary.BigEndian.Uint32(have)
			if length == 0 || length > spec.MaxFrame {
				return m, &spec.FieldError{Field: "length", Problem: fmt.Sprintf("%d is not from 1 to %d", length, spec.MaxFrame)}
			}
			if whole := lengthSize + int(length); len(have) >= whole {
				f.start += whole
				f.size = whole
				f.timed = false
				err := m.UnmarshalBinary(have[lengthSize:whole])
				return m, err
			}
		}
		if err := f.fill(); err != nil {
			return m, err
		}
	}
}

// fill reads what there is.
func (f *frames) fill() error {
	f.end = copy(f.buffer[:], f.buffer[f.start:f.end])
	f.start = 0
	begun := f.end > 0
	switch {
	case begun && !f.timed:
		f.timed, f.armed = true, true
		if err := f.conn.SetReadDeadline(time.Now().Add(f.timeout)); err != nil {
			return err
		}
	case !begun && f.armed:
		f.armed = false
		if err := f.conn.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
	}
	n, err := f.conn.Read(f.buffer[f.end:])
	f.end += n
	if n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	if begun {
		return unexpected(err)
	}
	return err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
