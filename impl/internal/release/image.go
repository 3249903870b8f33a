package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

// nobody is the user of the image, who has no name in it: 65532, as other images without a distribution have it.
const nobody = 65532

// The types of what an image is made of, in the words of the OCI.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// A descriptor names a blob by its digest.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *imagePlatform    `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type imagePlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// An index lists manifests, or other indexes.
type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

// A manifest is an image for one platform.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

// An imageConfig says how the image of a platform is run.
type imageConfig struct {
	Created string `json:"created"`
	imagePlatform
	Config struct {
		User       string              `json:"User"`
		Entrypoint []string            `json:"Entrypoint"`
		WorkingDir string              `json:"WorkingDir"`
		Volumes    map[string]struct{} `json:"Volumes"`
		Labels     map[string]string   `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// A layout is an image as one archive: an OCI image layout.
type layout struct {
	*tar.Writer
	when time.Time
	have map[string]bool
}

// image returns an image from scratch with the programs for Linux, for each platform one: /bully, /LICENSE, and /data, which is the user's. It is an OCI
// layout in an archive, which podman and docker load, and skopeo copies, as they are.
func (b build) image(programs []artifact, license []byte) ([]byte, error) {
	var out bytes.Buffer
	l := layout{tar.NewWriter(&out), b.Time, map[string]bool{}}
	all := index{SchemaVersion: 2, MediaType: typeIndex}
	for _, p := range programs {
		if p.On.OS != "linux" {
			continue
		}
		m, err := l.addPlatform(b, p, license)
		if err != nil {
			return nil, err
		}
		all.Manifests = append(all.Manifests, m)
	}
	of, err := l.addJSON(typeIndex, all)
	of.Annotations = map[string]string{"org.opencontainers.image.ref.name": b.Version}
	top, wrong := json.Marshal(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{of}})
	err = errors.Join(err, wrong, l.file("index.json", top), l.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), l.Close())
	return out.Bytes(), err
}

// addPlatform adds the image of a platform.
func (l layout) addPlatform(b build, program artifact, license []byte) (descriptor, error) {
	text, err := os.ReadFile(program.Path)
	if err != nil {
		return descriptor{}, err
	}
	files, err := layerOf(text, license, b.Time)
	if err != nil {
		return descriptor{}, err
	}
	layer, err := l.addLayer(files)
	if err != nil {
		return descriptor{}, err
	}
	on := imagePlatform{Architecture: program.On.Arch, OS: program.On.OS}
	c := imageConfig{Created: b.Time.Format(time.RFC3339), imagePlatform: on}
	c.Config.User, c.Config.Entrypoint, c.Config.WorkingDir = "65532:65532", []string{"/bully"}, "/data"
	c.Config.Volumes = map[string]struct{}{"/data": {}}
	c.Config.Labels = map[string]string{
		"org.opencontainers.image.version": b.Version, "org.opencontainers.image.revision": b.Commit,
		"org.opencontainers.image.source": "https://" + module, "org.opencontainers.image.licenses": "Apache-2.0",
	}
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", []string{"sha256:" + digestOf(files)}
	config, err := l.addJSON(typeConfig, c)
	if err != nil {
		return descriptor{}, err
	}
	m, err := l.addJSON(typeManifest, manifest{SchemaVersion: 2, MediaType: typeManifest, Config: config, Layers: []descriptor{layer}})
	m.Platform = &on
	return m, err
}

// layerOf returns the files of an image, as an archive.
func layerOf(program, license []byte, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range []struct {
		header tar.Header
		text   []byte
	}{
		{tar.Header{Name: "LICENSE", Mode: 0o644}, license},
		{tar.Header{Name: "bully", Mode: 0o755}, program},
		{tar.Header{Name: "data/", Mode: 0o700, Typeflag: tar.TypeDir, Uid: nobody, Gid: nobody}, nil},
	} {
		f.header.Size, f.header.ModTime = int64(len(f.text)), when
		if err := w.WriteHeader(&f.header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// addLayer adds the files of an image, compressed.
func (l layout) addLayer(files []byte) (descriptor, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return descriptor{}, err
	}
	_, err = io.Copy(w, bytes.NewReader(files))
	if err = errors.Join(err, w.Close()); err != nil {
		return descriptor{}, err
	}
	return l.addBlob(typeLayer, out.Bytes())
}

func (l layout) addJSON(mediaType string, of any) (descriptor, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return descriptor{}, err
	}
	return l.addBlob(mediaType, text)
}

// addBlob adds a blob, once.
func (l layout) addBlob(mediaType string, text []byte) (descriptor, error) {
	digest := digestOf(text)
	d := descriptor{MediaType: mediaType, Digest: "sha256:" + digest, Size: len(text)}
	if l.have[digest] {
		return d, nil
	}
	l.have[digest] = true
	return d, l.file("blobs/sha256/"+digest, text)
}

// file adds a file to the archive.
func (l layout) file(name string, text []byte) error {
	if err := l.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), ModTime: l.when}); err != nil {
		return err
	}
	_, err := l.Write(text)
	return err
}
