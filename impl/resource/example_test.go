package resource_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// A leader of epoch 33 is paused, at the worst moment: it has looked at its lease, found it good, and is about to
// write. Epoch 34 begins, and its leader writes. Then the first one wakes up. (The story is Martin Kleppmann's.)
func Example() {
	guard, err := resource.NewGuard(&resource.MemoryRegister{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file string
	write := func(epoch spec.Epoch, text string) {
		err := guard.Admit(epoch, func() error {
			file = text
			return nil
		})
		fmt.Printf("%d: %v\n", epoch, err)
	}
	write(33, "begun by 33")
	// 33 is paused here, and does not know.
	write(34, "written by 34")
	write(33, "finished by 33")
	fmt.Println(file)
	// Output:
	// 33: <nil>
	// 34: <nil>
	// 33: resource: the write of epoch 33 is fenced: epoch 34 has been admitted; stop acting as leader
	// written by 34
}

// A value is kept with the epoch of its writer, over restarts too.
func ExampleFile() {
	dir, err := os.MkdirTemp("", "resource")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, epoch := range []spec.Epoch{33, 34, 33} {
		file, err := resource.OpenFile(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		err = file.Update(epoch, func(old []byte) ([]byte, error) { return fmt.Appendf(old, "%d ", epoch), nil })
		if fenced, ok := errors.AsType[*resource.FencedError](err); ok {
			fmt.Println("fenced by", fenced.Admitted)
		} else if err != nil {
			fmt.Println(err)
		}
		value, admitted, err := file.Read()
		fmt.Printf("%q %d %v\n", value, admitted, err)
		file.Close()
	}
	// Output:
	// "33 " 33 <nil>
	// "33 34 " 34 <nil>
	// fenced by 34
	// "33 34 " 34 <nil>
}

// A web service whose writes are fenced, and its clients.
func ExampleHandler() {
	guard, err := resource.NewGuard(&resource.MemoryRegister{})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(&resource.Handler{Guard: guard, Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "done")
	})})
	defer server.Close()

	for _, epoch := range []spec.Epoch{33, 34, 33} {
		request, err := http.NewRequest(http.MethodPut, server.URL, strings.NewReader("value"))
		if err != nil {
			fmt.Println(err)
			return
		}
		resource.SetEpoch(request.Header, epoch)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		if err := resource.CheckResponse(response); errors.Is(err, resource.ErrFenced) {
			fmt.Println(err)
			continue
		}
		fmt.Println(response.Status, response.Header.Get(resource.AdmittedHeader))
	}
	// Output:
	// 200 OK 33
	// 200 OK 34
	// resource: the write of epoch 33 is fenced: epoch 34 has been admitted; stop acting as leader
}
