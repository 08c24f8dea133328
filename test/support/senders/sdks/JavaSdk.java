import com.google.gson.Gson;
import io.getunleash.DefaultUnleash;
import io.getunleash.Unleash;
import io.getunleash.UnleashContext;
import io.getunleash.util.UnleashConfig;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.TreeMap;

/**
 * Unleash's SDK for Java. Each line of stdin is `evaluate FEATURE USERS` or `purchase COUNT`. It answers with what the SDK has
 * returned so far: evaluations by feature.
 */
public class JavaSdk {
    private static final class Sums {
        int yes;
        int no;
        final Map<String, Integer> variants = new TreeMap<>();

        void add(boolean isYes) {
            if (isYes) yes += 1;
            else no += 1;
        }
    }

    public static void main(String[] arguments) throws Exception {
        var appName = System.getenv("SDK_APP_NAME");
        var unleash = new DefaultUnleash(
            UnleashConfig.builder()
                .unleashAPI(System.getenv("SDK_URL") + "/api")
                .apiKey(System.getenv("SDK_TOKEN"))
                .appName(appName)
                .instanceId(appName)
                .fetchTogglesInterval(1)
                .sendMetricsInterval(1)
                .synchronousFetchOnInitialisation(true)
                .build()
        );
        unleash.getImpactMetrics().defineCounter("purchases", "Completed purchases");
        var ledger = new TreeMap<String, Sums>();
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (var line = input.readLine(); line != null; line = input.readLine()) {
            var words = line.split(" ");
            if (words[0].equals("purchase")) {
                unleash.getImpactMetrics().incrementCounter("purchases", Long.parseLong(words[1]));
            } else {
                var sums = ledger.computeIfAbsent(words[1], name -> new Sums());
                for (int user = 0; user < Integer.parseInt(words[2]); user += 1) evaluate(unleash, words[1], user, sums);
            }
            System.out.println(new Gson().toJson(ledger));
        }
        unleash.shutdown();
        System.exit(0);
    }

    /** Requesting a variant is an evaluation too. */
    private static void evaluate(Unleash unleash, String feature, int user, Sums sums) {
        var context = UnleashContext.builder().userId("user-" + user).build();
        sums.add(unleash.isEnabled(feature, context));
        var variant = unleash.getVariant(feature, context);
        sums.add(variant.isFeatureEnabled());
        sums.variants.merge(variant.getName(), 1, Integer::sum);
    }
}
