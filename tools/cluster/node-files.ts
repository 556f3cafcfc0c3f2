import { POD_RANGE } from './control-plane-argv.ts'
import { containerdSocket, DNS_ADDRESS, type NodePlan, PAUSE_IMAGE } from './node-plan.ts'

/** Returns the configuration files of the node's programs by name. */
export function nodeFiles(plan: NodePlan, options: { readonly authority: string; readonly snapshotter: string }) {
  const { folder } = plan
  return {
    'containerd.toml': containerd(plan, options.snapshotter),
    'cni/10-bridge.conflist': JSON.stringify(network(folder)),
    'kubelet.json': JSON.stringify(kubelet(plan, options.authority)),
    'resolv.conf': `nameserver ${DNS_ADDRESS}\n`,
  }
}

function containerd({ folder, programs }: NodePlan, snapshotter: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"'
  return `version = 2
root = "${folder}/containerd/root"
state = "${folder}/containerd/state"
[grpc]
  address = "${containerdSocket(folder)}"
[${cri}]
  sandbox_image = "${PAUSE_IMAGE}"
  # Without CAP_SYS_RESOURCE runc dies where it may not lower the score.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [${cri}.cni]
    bin_dir = "${programs.cni}"
    conf_dir = "${folder}/cni"
  [${cri}.containerd]
    snapshotter = "${snapshotter}"
    [${cri}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${cri}.containerd.runtimes.runc.options]
        SystemdCgroup = false
`
}

function network(folder: string) {
  const ranges = [[{ subnet: POD_RANGE.replace('/16', '/24') }]]
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: false,
        // Lets a pod reach itself through its Service.
        hairpinMode: true,
        ipam: { type: 'host-local', ranges, routes: [{ dst: '0.0.0.0/0' }], dataDir: `${folder}/ipam` },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  }
}

function kubelet({ folder, cgroup }: NodePlan, authority: string) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    enforceNodeAllocatable: [],
    containerRuntimeEndpoint: `unix://${containerdSocket(folder)}`,
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: 'cluster.local',
    resolvConf: `${folder}/resolv.conf`,
    podLogsDir: `${folder}/pods`,
    volumePluginDir: `${folder}/volume-plugins`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authority },
    },
    authorization: { mode: 'AlwaysAllow' },
    // A developer's disk is often nearly full.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    // Images are imported only once, so none may be collected.
    imageGCHighThresholdPercent: 100,
  }
}
