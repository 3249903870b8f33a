// Package resource is what a leader writes to: a resource that is fenced. Every write carries the epoch of its
// writer's reign, the resource keeps the highest epoch that it has admitted, and refuses lower ones. So a leader that
// was paused, and wakes up deposed, does no harm. Nothing that it checks itself could do that (R38).
//
// There are four forms:
//
//	File      a small value, in a file together with its epoch: one step, over crashes too
//	Guard     round any write: check, raise and write are one step; a crash can raise and not write
//	Handler   a Guard round an HTTP handler; the epoch comes in the header Bully-Epoch
//	sqlfence  a nested module: rows of an SQL database, in one transaction with the fence: one step, over crashes too
//
// The resource guards what it does:
//
//	register, err := resource.OpenRegister("/var/lib/printer")
//	if err != nil {
//		return err
//	}
//	guard, err := resource.NewGuard(register)
//	if err != nil {
//		return err
//	}
//	for job := range jobs { // each with the epoch of its writer
//		err := guard.Admit(job.Epoch, func() error { return print(job) })
//		job.Answer(err)
//	}
//
// and the writer stops when it is refused (R38.4):
//
//	err := host.Lead(ctx, func(ctx context.Context, reign host.Reign) error {
//		for job := range work(ctx) {
//			job.Epoch = reign.Epoch()
//			if err := send(ctx, job); errors.Is(err, resource.ErrFenced) {
//				return err // deposed: to return is to stop acting
//			}
//		}
//		return ctx.Err()
//	})
//
// # What a fence does not do
//
// It does not order the writes of one reign, and does not make a write that was refused, or whose answer was lost,
// happen once: the next leader may have to find out what the last one did. A new leader that must read before it
// writes should write first, something of no consequence: after that no older leader changes what it reads.
//
// Epoch 0 is nobody's, so no write can carry it: it is refused as malformed. So is an epoch above 2^53−1 (R2).
package resource
