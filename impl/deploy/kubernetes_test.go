package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// decode reads a manifest as the API does that is asked to be strict: an unknown field, or one that is there twice, is an error.
func decode(text []byte) (runtime.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	object, _, err := serializer.Decode(text, nil, nil)
	return object, err
}

// manifests are what kubernetes.yaml has.
type manifests struct {
	service core.Service
	budget  policy.PodDisruptionBudget
	access  networking.NetworkPolicy
	set     apps.StatefulSet
}

func readManifests(t *testing.T) (m manifests) {
	t.Helper()
	text, err := os.ReadFile("kubernetes.yaml")
	require.NoError(t, err)
	for _, one := range strings.Split(string(text), "\n---\n") {
		object, err := decode([]byte(one))
		require.NoError(t, err)
		switch o := object.(type) {
		case *core.Service:
			m.service = *o
		case *policy.PodDisruptionBudget:
			m.budget = *o
		case *networking.NetworkPolicy:
			m.access = *o
		case *apps.StatefulSet:
			m.set = *o
		default:
			require.Fail(t, "what is this for?", "%T", o)
		}
	}
	return m
}

func TestKubernetesIsRead(t *testing.T) {
	_, err := decode([]byte("apiVersion: v1\nkind: Service\nspec:\n  publishNotReadyAdresses: true\n"))
	require.ErrorContains(t, err, `unknown field "spec.publishNotReadyAdresses"`)
	_, err = decode([]byte("apiVersion: v1\nkind: Service\nspec:\n  clusterIP: None\n  clusterIP: None\n"))
	require.ErrorContains(t, err, "already set")
}

// TestKubernetes: what one manifest says of another is so.
func TestKubernetes(t *testing.T) {
	m := readManifests(t)
	pod := m.set.Spec.Template
	for _, selector := range []map[string]string{m.service.Spec.Selector, m.budget.Spec.Selector.MatchLabels, m.set.Spec.Selector.MatchLabels, m.access.Spec.PodSelector.MatchLabels} {
		require.NotEmpty(t, selector)
		require.True(t, labels.SelectorFromSet(selector).Matches(labels.Set(pod.Labels)), "%v", selector)
	}
	require.Equal(t, m.service.Name, m.set.Spec.ServiceName)
	require.Equal(t, core.ClusterIPNone, m.service.Spec.ClusterIP)
	require.True(t, m.service.Spec.PublishNotReadyAddresses, "nobody would be ready until others are")
	replicas := int(*m.set.Spec.Replicas)
	require.LessOrEqual(t, m.budget.Spec.MaxUnavailable.IntValue(), (replicas-1)/2, "a quorum must be left")
	require.Len(t, pod.Spec.Containers, 1)
	container := pod.Spec.Containers[0]

	ports := map[string]int32{}
	for _, p := range container.Ports {
		ports[p.Name] = p.ContainerPort
	}
	for _, p := range m.service.Spec.Ports {
		require.Equal(t, ports[p.Name], p.Port, p.Name)
	}
	for _, probe := range []*core.Probe{container.ReadinessProbe, container.LivenessProbe} {
		require.Equal(t, "/healthz", probe.HTTPGet.Path, "who does not lead is well, and ready")
		require.Contains(t, ports, probe.HTTPGet.Port.String())
	}
	flags := flagsOf(t, container.Args)
	require.Equal(t, fmt.Sprint(replicas), flags["expect"])
	require.Equal(t, "ordinal", flags["id"])
	require.Equal(t, fmt.Sprintf("dns+srv://_peer._tcp.%s.$(NAMESPACE).svc.cluster.local", m.service.Name), flags["members"])
	require.Equal(t, fmt.Sprintf(":%d", ports["peer"]), flags["listen"])
	require.Equal(t, fmt.Sprintf(":%d", ports["http"]), flags["http"])
	mounted(t, &m.set, flags)
}

// flagsOf reads the arguments of bully run. Each is a flag that there is.
func flagsOf(t *testing.T, args []string) map[string]string {
	t.Helper()
	require.Equal(t, "run", args[0])
	help, flags := command(t, "help", "run"), map[string]string{}
	for _, arg := range args[1:] {
		name, value, ok := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		require.True(t, ok, arg)
		require.NotContains(t, flags, name)
		flags[name] = value
		require.Regexp(t, "(?m)^  -"+name+" ", help, "there is no flag -%s", name)
	}
	return flags
}

// mounted requires that the folder of the node is on a disk of its own, and that each pod has its certificate and no other.
func mounted(t *testing.T, set *apps.StatefulSet, flags map[string]string) {
	t.Helper()
	pod := set.Spec.Template.Spec
	mounts := map[string]core.VolumeMount{}
	for _, m := range pod.Containers[0].VolumeMounts {
		mounts[m.MountPath] = m
	}
	require.Len(t, set.Spec.VolumeClaimTemplates, 1)
	require.Equal(t, set.Spec.VolumeClaimTemplates[0].Name, mounts[flags["data"]].Name)
	require.Equal(t, "$(POD)", mounts["/etc/bully"].SubPathExpr)
	require.Len(t, pod.Volumes, 1)
	require.Equal(t, mounts["/etc/bully"].Name, pod.Volumes[0].Name)
	var got, want []string
	for _, item := range pod.Volumes[0].Secret.Items {
		got = append(got, item.Key+" "+item.Path)
	}
	for i := range int(*set.Spec.Replicas) {
		folder := fmt.Sprintf("%s-%d/", set.Name, i)
		want = append(want, "ca.crt "+folder+"ca.crt", fmt.Sprintf("node-%d.crt %snode.crt", i+1, folder), fmt.Sprintf("node-%d.key %snode.key", i+1, folder))
	}
	require.Equal(t, want, got)
	for _, flag := range []string{"tls-cert", "tls-key", "tls-ca"} {
		require.Equal(t, "/etc/bully", filepath.Dir(flags[flag]))
		require.True(t, slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, "bully-0/"+filepath.Base(flags[flag])) }), "the secret must be mounted where flag -%s looks for it: %v", flag, got)
	}
}
