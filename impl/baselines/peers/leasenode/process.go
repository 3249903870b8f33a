package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// What is in the folder of a store.
const (
	socketFile = "socket"        // where it listens
	lockFile   = "lock"          // locked as long as it runs; its process id is in it
	leasesFile = "leases.ndjson" // what it must not forget
	logFile    = "store.log"     // what it could not say otherwise
)

const (
	// asStore is the argument that makes this program a store; the folder follows.
	asStore = "store"
	// linger is how long a store runs without a node that is connected.
	linger = 3 * time.Second
	// again is the time between two attempts to reach a store that somebody is starting.
	again = 2 * time.Millisecond
)

// The first file descriptors that exec.Cmd passes on beside the usual three.
const (
	listenerFD = 3
	lockFD     = 4
)

// dial connects to the store of a folder, and starts one if there is none.
func dial(ctx context.Context, folder string) (net.Conn, error) {
	for {
		connection, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(folder, socketFile))
		if err == nil || !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ECONNREFUSED) {
			return connection, err
		}
		if err := startStore(folder); err != nil {
			return nil, fmt.Errorf("start a store: %w", err)
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// startStore starts a store, unless one runs already or is being started. Who has the lock may; the store inherits it
// with its file, and so holds it for as long as it lives, however it ends. It inherits its listener too, and so need not
// be waited for.
func startStore(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(folder, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return os.NewSyscallError("flock", err)
	}
	socket := filepath.Join(folder, socketFile)
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	defer listener.Close()
	file, err := listener.File()
	if err != nil {
		return err
	}
	defer file.Close()
	log, err := os.OpenFile(filepath.Join(folder, logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.Command(program, asStore, folder)
	command.Stderr = log
	command.ExtraFiles = []*os.File{file, lock}
	// A session of its own, so that it does not end with the group of the node that happens to have started it.
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // so that it is no zombie should it end first
	return nil
}

// runStore is the process of a store. It ends when nobody was connected for a time.
func runStore(folder string, linger time.Duration) error {
	file := os.NewFile(listenerFD, "listener")
	listener, err := net.FileListener(file)
	if err != nil {
		return fmt.Errorf("%w; a store is started by a node", err)
	}
	_ = file.Close() // the listener has one of its own
	lock := os.NewFile(lockFD, "lock")
	defer lock.Close()
	if _, err := lock.WriteAt([]byte(fmt.Sprintf("%-10d\n", os.Getpid())), 0); err != nil {
		return err
	}
	s, err := openStore(filepath.Join(folder, leasesFile))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	alone := time.AfterFunc(linger, func() { _ = server.Close() })
	var mu sync.Mutex
	connected := 0
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch state {
		case http.StateNew:
			connected++
			alone.Stop()
		case http.StateClosed:
			if connected--; connected == 0 {
				alone.Reset(linger)
			}
		}
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	// Who comes now finds no socket, and starts another store once the lock is free.
	_ = os.Remove(filepath.Join(folder, socketFile))
	return nil
}
