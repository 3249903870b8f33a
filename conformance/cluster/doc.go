// Package cluster runs a cluster of nodes of any implementation without time: any message may arrive next, any timer may
// end next, and anything may go wrong. What happens is a list of [Op], each of which is one line of text:
//
//	deliver 3 2                   the first message under way from 3 to 2 arrives
//	lose 3 2                      … is lost
//	end 2 patience               a timer of 2 ends, which runs
//	late 2 claim                  … which does not run: nothing may happen (R35)
//	resign 2                      the user of 2 calls it to resign (R28)
//	dead 2                        the host of 2 says that the holder of its lease is dead, true or not (R41)
//	change 3 to 1 2 witness:4     the user of 3 calls it to change its configuration (R47), where members change
//	crash 2                       2 crashes: what is under way to it and from it is lost
//	restart 2                     2 starts with its record; what never started is started by: start 2
//	cut 3-1 1-3                   these links, and no others, carry nothing from now on
//	heal                          all links carry
//	settle                        all that is under way arrives, first sent first, and what comes of it
//	expect 2 follower epoch 1 leader 3    what has come of it; a node that does not run is down
//
// What makes a node take a step may end with a crash within it, of the node that takes it:
//
//	deliver 3 2 crash before      before its promise is on disk: the step has not happened
//	end 3 election crash after 1  after one message has left
//
// A [Cluster] checks each step, and finds what breaks a promise that holds for any timing: OneLeaderPerEpoch,
// EpochMonotonic, and what the rules say of a step whatever the time. This is the loop that drives one:
//
//	c, err := cluster.New(members, newNode, cluster.Options{})
//	if err != nil {
//		return err
//	}
//	var enabled []cluster.Op
//	for range 1000 {
//		enabled = c.Enabled(enabled[:0])
//		if err := c.Do(enabled[rand.IntN(len(enabled))]); err != nil {
//			return err // such as: OneLeaderPerEpoch: …: nodes 2 and 3 have both led epoch 4: …
//		}
//	}
//
// [Cluster.Draw] chooses better than that: so that leaders come, and are lost. A [Script] is members and what happens to
// them, as text: one that broke a promise, once made small by [Script.Shrink], is kept: see [Known].
package cluster
