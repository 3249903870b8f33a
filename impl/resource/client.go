package resource

import (
	"net/http"
	"strconv"

	"github.com/seed-fdf591db/bully/spec"
)

// SetEpoch gives a request the epoch of the reign that it writes for.
//
//	resource.SetEpoch(request.Header, reign.Epoch())
func SetEpoch(header http.Header, e spec.Epoch) {
	header.Set(EpochHeader, strconv.FormatUint(uint64(e), 10))
}

// CheckResponse returns a FencedError if the answer to a request is that of a Handler that has refused it as fenced,
// and else nil. The writer must then stop acting as leader (R38.4). It leaves the body to the caller.
func CheckResponse(response *http.Response) error {
	if response.StatusCode != http.StatusPreconditionFailed {
		return nil
	}
	admitted, _ := parseEpoch(response.Header.Get(AdmittedHeader)) // 0 of somebody else's 412
	fenced := &FencedError{Admitted: admitted}
	if response.Request != nil {
		fenced.Epoch, _ = parseEpoch(response.Request.Header.Get(EpochHeader)) // 0 if it cannot be known
	}
	if fenced.Epoch >= admitted {
		return nil // it was admitted: the 412 is that of the handler behind
	}
	return fenced
}
