import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** A server of one node from OpenSearch's own parts: `Server FOLDER PORT`. Its distribution is in no package registry. */
public final class Server extends Node {
    private Server(Settings settings) {
        super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "target"), List.of(Netty4Plugin.class), false);
    }

    public static void main(String[] args) throws Exception {
        Settings settings = Settings.builder()
            .put("path.home", args[0])
            .put("http.port", args[1])
            .put("transport.port", "0")
            .put("network.host", "127.0.0.1")
            .put("discovery.type", "single-node")
            // A disk that is nearly full makes an index read-only.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        new Server(settings).start();
        System.out.println("target ready");
        Thread.currentThread().join();
    }
}
