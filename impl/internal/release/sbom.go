package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
)

// What of CycloneDX 1.6 says what programs are made of.
type (
	sbom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string        `json:"type"`
		Ref      string        `json:"bom-ref"`
		Name     string        `json:"name"`
		Version  string        `json:"version,omitempty"`
		Purl     string        `json:"purl,omitempty"`
		Licenses []licenseItem `json:"licenses,omitempty"`
		Hashes   []hash        `json:"hashes,omitempty"`
	}
	licenseItem struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn"`
	}
)

// sbom says what the programs are made of: what Go has written into them, and no list that somebody keeps beside them.
func (b build) sbom(programs []artifact) ([]byte, error) {
	main := component{Type: "application", Name: module, Version: b.Version, Licenses: make([]licenseItem, 1)}
	main.Licenses[0].License.ID = "Apache-2.0"
	main.Purl = "pkg:golang/" + module + "@" + b.Version
	main.Ref = main.Purl
	s := sbom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{b.Time.Format(time.RFC3339), main}, Components: []component{}}
	var libraries []component
	for i, p := range programs {
		behind, err := librariesOf(p.Path)
		if err != nil {
			return nil, err
		}
		if i > 0 && !reflect.DeepEqual(behind, libraries) {
			return nil, fmt.Errorf("%s is made of other modules than %s: %v, and %v", p.Name, programs[0].Name, behind, libraries)
		}
		libraries = behind
		text, err := os.ReadFile(p.Path)
		if err != nil {
			return nil, err
		}
		s.Components = append(s.Components, component{Type: "file", Ref: p.Name, Name: p.Name, Hashes: []hash{{"SHA-256", digestOf(text)}}})
	}
	on := []string{}
	for _, l := range libraries {
		on = append(on, l.Ref)
	}
	s.Components = append(s.Components, libraries...)
	s.Dependencies = []dependency{{main.Ref, on}}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// librariesOf returns the modules that a program has in it, and the standard library.
func librariesOf(program string) (all []component, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	add := func(name, version string) {
		purl := "pkg:golang/" + name + "@" + version
		all = append(all, component{Type: "library", Ref: purl, Name: name, Version: version, Purl: purl})
	}
	add("std", strings.TrimPrefix(info.GoVersion, "go"))
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s: %s is replaced, and nobody could build it so: release it without", program, m.Path)
		}
		add(m.Path, m.Version)
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	return all, nil
}
