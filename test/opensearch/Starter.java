import static org.codelibs.opensearch.runner.OpenSearchRunner.newConfigs;

import org.codelibs.opensearch.runner.OpenSearchRunner;

/** Runs one node of OpenSearch in a folder, on a port of the loopback interface, until its input ends. */
public class Starter {
  public static void main(String[] arguments) throws Exception {
    OpenSearchRunner runner = new OpenSearchRunner();
    runner
        .onBuild((number, settings) -> {
          settings.put("network.host", "127.0.0.1");
          settings.put("http.port", arguments[1]);
          settings.put("transport.port", arguments[2]);
          settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
        })
        .build(newConfigs()
            .basePath(arguments[0])
            .clusterName("bindery-tests-" + arguments[1])
            .numOfNode(1)
            .disableESLogger()
            .pluginTypes("org.opensearch.knn.plugin.KNNPlugin"));
    System.out.println("started");
    while (System.in.read() >= 0) {}
    runner.close();
  }
}
