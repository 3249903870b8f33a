package folder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
)

// A Log keeps a series of contents in a folder: a snapshot, and what was saved after it. It is for a program that saves a little of much, often:
// a save is one write and one wait for the disk, however much is kept.
//
// The file has a head of one block, the snapshot, the saves, and room for more; it never becomes longer or shorter. Each save, the snapshot too, has
// a number, one above the last, over all files that there ever were in the folder. It begins at a block, and is written twice, one copy after the
// other, in one write. All sectors of 512 bytes, those of the room too, say what they are of. Integers are big-endian:
//
//	offset  bytes
//	     0      8  number of the save; 0 where nothing has been written yet
//	     8      4  place: which sector of the file this is
//	    12      4  place of the first sector of the save
//	    16      4  how many sectors the file has
//	    20      4  length of the content in bytes
//	    24    484  content, of the sector's part; zeros after its end
//	   508      4  CRC-32C of all before
//
// A save of which no copy is whole was cut short if, and only if, a sector that it should have written over says that nothing has been written there:
// then it was never completed, and nobody has acted on it. Else the log is damaged. See decisions 0042 and 0046.
type Log struct {
	kept   *Folder
	head   []byte // a block
	number uint64 // of the last save
	at     int    // the sector at which the next save begins
	total  int    // how many sectors the file has
	loaded bool

	// Above is what the number of the next file that is begun is to be above, besides those that are known: for one whose last numbers are lost.
	Above uint64
}

const (
	logPlaceAt  = 8
	logFromAt   = 12
	logTotalAt  = 16
	logLengthAt = 20
	logPartAt   = 24
	logPart     = sumAt - logPartAt
	logRoom     = 1 << 20 // bytes, at least, for saves after the snapshot
	mostOfLog   = 1 << 30 // bytes of a file
)

// OpenLog is Open for a log. The head is what the file begins with, a block, of which the first 12 bytes tell it from other files.
func OpenLog(dir, name string, head []byte) (*Log, error) {
	kept, err := Open(dir, name)
	if err != nil {
		return nil, err
	}
	return logOn(kept, head), nil
}

// LogOn returns a Log on a disk that is given: for tests.
func LogOn(disk Disk, dir, name string, head []byte) *Log { return logOn(On(disk, dir, name), head) }

func logOn(kept *Folder, head []byte) *Log {
	block := make([]byte, blockSize)
	copy(block, head)
	return &Log{kept: kept, head: block}
}

// Path returns the path of the file.
func (l *Log) Path() string { return l.kept.path }

// Load returns the snapshot, and what was saved after it, in order. If there is no file, and has never been one, found is false. Its errors are those of
// Folder.Load; ErrDamaged, ErrCut and ErrLong are among them.
func (l *Log) Load() (saves [][]byte, found bool, err error) {
	f := l.kept
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, false, f.err
	}
	marked, err := f.hasMarker()
	if err != nil {
		return nil, false, err
	}
	l.loaded = true
	file, err := f.disk.Read(f.name, mostOfLog)
	switch {
	case errors.Is(err, fs.ErrNotExist) && marked:
		return nil, false, fmt.Errorf("%s %w: %s says that there has been one", f.path, ErrLost, f.name+MarkerSuffix)
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil && !errors.Is(err, ErrPartly):
		return nil, false, fmt.Errorf("cannot read %s: %w", f.path, bare(err))
	}
	f.marked = marked
	if !bytes.HasPrefix(file, l.head[:headKnownBytes]) {
		return nil, false, flaw(ErrDamaged, "it does not begin like one of this version")
	}
	saves, l.number, err = readLog(file)
	return saves, err == nil, err
}

// Number returns the number of the last save, 0 if there is none. It only rises.
func (l *Log) Number() uint64 {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	return l.number
}

// Begin makes a new file that begins with a snapshot, in the place of the old one. It comes after Load, and before Append: nobody writes over what he has
// not written himself. When it returns nil the snapshot is durable. After an error the Log is poisoned.
func (l *Log) Begin(snapshot []byte) error {
	f := l.kept
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = l.begin(snapshot)
	}
	return f.err
}

func (l *Log) begin(snapshot []byte) error {
	f := l.kept
	if !l.loaded {
		return fmt.Errorf("%s is not loaded", f.path)
	}
	if err := f.disk.Check(); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	f.release()
	inPlace := f.disk.System().InPlace
	room := 0
	if inPlace {
		room = max(logRoom, 4*len(snapshot)) / blockSize * sectors
	}
	l.total = sectors + saveSectors(len(snapshot)) + room
	number := max(l.number, l.Above) + 1
	image, err := l.layOut(number, snapshot)
	if err != nil {
		return err
	}
	temp := f.name + TempSuffix
	file, err := f.create(temp, image)
	if err != nil {
		return err
	}
	if inPlace && file.Keep() {
		f.file = file
	} else if err := file.Close(); err != nil {
		return f.failed("close", temp, err)
	}
	if err := f.install(temp); err != nil {
		return err
	}
	l.number, l.at = number, sectors+saveSectors(len(snapshot))
	return nil
}

// Append saves a content after the last one, where there is room for it and the file may be written in place. If there is none, it does nothing, and fits is
// false: Begin makes room. When it returns true and nil the content is durable. After an error the Log is poisoned.
func (l *Log) Append(content []byte) (fits bool, err error) {
	f := l.kept
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && (f.file == nil || l.at+saveSectors(len(content)) > l.total) {
		return false, nil
	}
	if f.err == nil {
		f.err = l.append(content)
	}
	return f.err == nil, f.err
}

func (l *Log) append(content []byte) error {
	f := l.kept
	if err := f.disk.Check(); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	if !f.disk.Is(f.name, f.file) {
		return fmt.Errorf("cannot write %s: somebody has taken the file away", f.path)
	}
	image := make([]byte, saveSectors(len(content))*sectorSize)
	l.fill(image, l.at, l.number+1, content)
	if err := f.writeAt(image, int64(l.at)*sectorSize); err != nil {
		return err
	}
	l.number++
	l.at += len(image) / sectorSize
	return nil
}

// SetAside is that of Folder.
func (l *Log) SetAside() (path string, err error) { return l.kept.SetAside() }

// LookLog is Load of a log that may be in use, without a lock: it returns the number of the last save, too. It changes nothing. Where there is none found is false, and where there has been one the error is ErrLost.
func LookLog(dir, name string, head []byte) (saves [][]byte, number uint64, found bool, err error) {
	view, err := Look(dir, name, mostOfLog)
	switch {
	case err != nil:
		return nil, 0, false, err
	case view.Err != nil && !errors.Is(view.Err, ErrPartly):
		return nil, 0, true, view.Err
	case !view.Found && view.Marked:
		return nil, 0, true, fmt.Errorf("%s %w", name, ErrLost)
	case !view.Found:
		return nil, 0, false, nil
	case !bytes.HasPrefix(view.Data, head[:headKnownBytes]):
		return nil, 0, true, flaw(ErrDamaged, "it does not begin like one of this version")
	}
	saves, number, err = readLog(view.Data)
	return saves, number, true, err
}

// Close releases the folder.
func (l *Log) Close() error { return l.kept.Close() }

// copySectors returns how many sectors one copy of a content takes: whole blocks.
func copySectors(length int) int {
	perBlock := sectors * logPart
	return max((length+perBlock-1)/perBlock, 1) * sectors
}

// saveSectors returns how many sectors both copies take.
func saveSectors(length int) int { return 2 * copySectors(length) }

// layOut returns a new file.
func (l *Log) layOut(number uint64, snapshot []byte) ([]byte, error) {
	if l.total > mostOfLog/sectorSize || len(snapshot) > math.MaxInt32 {
		return nil, fmt.Errorf("%s would have %d sectors: too many", l.kept.path, l.total)
	}
	image := make([]byte, l.total*sectorSize)
	copy(image, l.head)
	used := sectors + saveSectors(len(snapshot))
	l.fill(image[blockSize:used*sectorSize], sectors, number, snapshot)
	for place := used; place < l.total; place++ {
		l.seal(image[place*sectorSize:][:sectorSize], place, 0, 0, 0)
	}
	return image, nil
}

// fill writes both copies of a content, which is to begin at a sector of the file.
func (l *Log) fill(image []byte, from int, number uint64, content []byte) {
	perCopy := copySectors(len(content))
	for i := range len(image) / sectorSize {
		sector := image[i*sectorSize:][:sectorSize]
		copy(sector[logPartAt:sumAt], content[min(i%perCopy*logPart, len(content)):])
		l.seal(sector, from+i, number, from, len(content))
	}
}

// seal writes what a sector says of itself.
func (l *Log) seal(sector []byte, place int, number uint64, from, length int) {
	binary.BigEndian.PutUint64(sector, number)
	binary.BigEndian.PutUint32(sector[logPlaceAt:], uint32(place))
	binary.BigEndian.PutUint32(sector[logFromAt:], uint32(from))
	binary.BigEndian.PutUint32(sector[logTotalAt:], uint32(l.total))
	binary.BigEndian.PutUint32(sector[logLengthAt:], uint32(length))
	binary.BigEndian.PutUint32(sector[sumAt:], crc32.Checksum(sector[:sumAt], castagnoli))
}

// logSector is a sector of a log that is as it was written, and where it was.
type logSector struct {
	number              uint64
	from, total, length int
	part                []byte
}

func readLogSector(file []byte, place int) (s logSector, good bool) {
	sector := file[place*sectorSize:][:sectorSize]
	if binary.BigEndian.Uint32(sector[sumAt:]) != crc32.Checksum(sector[:sumAt], castagnoli) || int(binary.BigEndian.Uint32(sector[logPlaceAt:])) != place {
		return s, false
	}
	word := func(at int) int { return int(binary.BigEndian.Uint32(sector[at:])) }
	return logSector{binary.BigEndian.Uint64(sector), word(logFromAt), word(logTotalAt), word(logLengthAt), sector[logPartAt:sumAt]}, true
}

// readLog returns what was saved, and the number of the last save.
func readLog(file []byte) (saves [][]byte, last uint64, err error) {
	total := len(file) / sectorSize
	for place := sectors; place < total; place++ {
		if s, good := readLogSector(file, place); good && s.total*sectorSize != len(file) {
			if s.total > total {
				return nil, 0, flaw(ErrCut, "it has %d bytes, and %d are there", s.total*sectorSize, len(file))
			}
			return nil, 0, flaw(ErrLong, "it has %d bytes, and %d are there", s.total*sectorSize, len(file))
		} else if good {
			break
		}
	}
	if len(file)%blockSize != 0 || total < 3*sectors {
		return nil, 0, flaw(ErrCut, "%d bytes are there, which is no number of blocks, or too few", len(file))
	}
	at := sectors
	for at < total {
		first, found := firstOf(file, at, last+1, len(saves) == 0)
		if !found {
			break
		}
		content, whole := readSave(file, at, &first)
		if !whole {
			break
		}
		saves, last, at = append(saves, content), first.number, at+saveSectors(first.length)
	}
	if len(saves) == 0 {
		return nil, 0, flaw(ErrDamaged, "neither copy of what it begins with is whole")
	}
	return saves, last, readRest(file, at, last)
}

// firstOf returns a sector of the save that begins at a place: of that number, or of any if it is the first of all.
func firstOf(file []byte, at int, number uint64, any bool) (s logSector, found bool) {
	for place := at; place < len(file)/sectorSize; place++ {
		s, good := readLogSector(file, place)
		if good && s.number != 0 {
			fits := at+saveSectors(s.length) <= len(file)/sectorSize
			return s, fits && s.from == at && (any || s.number == number)
		}
	}
	return s, false
}

// readSave returns the content of a save that begins at a place, if a copy is whole.
func readSave(file []byte, at int, of *logSector) (content []byte, whole bool) {
	perCopy := copySectors(of.length)
	for copied := range 2 {
		content, whole = content[:0], true
		for i := range perCopy {
			s, good := readLogSector(file, at+copied*perCopy+i)
			whole = whole && good && s.number == of.number && s.from == at && s.length == of.length
			content = append(content, s.part...)
		}
		if whole {
			return content[:of.length], true
		}
	}
	return nil, false
}

// readRest returns nil if what is behind the last save that is whole, of number n, is at most a save that was cut short.
func readRest(file []byte, at int, n uint64) error {
	total := len(file) / sectorSize
	end := min(at+saveSectors(0), total) // the least that a save n+1 would have written over
	touched, unwritten := false, false
	for place := at; place < total; place++ {
		s, good := readLogSector(file, place)
		switch {
		case good && s.number == 0:
		case good && (s.number != n+1 || s.from != at):
			return flaw(ErrDamaged, "save %d is whole, and behind it is something of save %d: the disk has lost what it had written", n, s.number)
		case good:
			end = min(at+saveSectors(s.length), total)
			touched = true
		default:
			touched = touched || place < end
		}
	}
	for place := at; place < end; place++ {
		s, good := readLogSector(file, place)
		unwritten = unwritten || good && s.number == 0
	}
	if touched && !unwritten {
		return flaw(ErrDamaged, "save %d is whole, and save %d is spoiled: it may have been acted on", n, n+1)
	}
	return nil
}
