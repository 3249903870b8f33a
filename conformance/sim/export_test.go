package sim

// ChangeKinds returns every kind of change.
var ChangeKinds = changeKinds
