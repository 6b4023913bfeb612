// Runs ARX on one table: java -cp arx.jar ArxDriver.java TABLE HIERARCHIES K,K,... LIMIT,LIMIT,... COLUMN...
// TABLE has a header and semicolons; HIERARCHIES is a folder with COLUMN.csv for every column.
// Prints a line for each k and limit: k, limit, CPU seconds of the better of two runs, and COLUMN=LEVEL for each column.

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

public class ArxDriver {
    public static void main(String[] args) throws Exception {
        OperatingSystemMXBean machine =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (String k : args[2].split(",")) {
            for (String limit : args[3].split(",")) {
                double best = Double.POSITIVE_INFINITY;
                ARXNode node = null;
                for (int run = 0; run < 2; run++) {
                    Data data = Data.create(args[0], StandardCharsets.UTF_8, ';');
                    for (int i = 4; i < args.length; i++) {
                        String file = Path.of(args[1], args[i] + ".csv").toString();
                        Hierarchy levels = Hierarchy.create(file, StandardCharsets.UTF_8, ';');
                        data.getDefinition().setAttributeType(args[i], levels);
                    }
                    ARXConfiguration asked = ARXConfiguration.create();
                    asked.addPrivacyModel(new KAnonymity(Integer.parseInt(k)));
                    asked.setSuppressionLimit(Double.parseDouble(limit));
                    asked.setQualityModel(Metric.createLossMetric(AggregateFunction.ARITHMETIC_MEAN));
                    long start = machine.getProcessCpuTime();
                    ARXResult result = new ARXAnonymizer().anonymize(data, asked);
                    best = Math.min(best, (machine.getProcessCpuTime() - start) / 1e9);
                    node = result.getGlobalOptimum();
                }
                StringBuilder line = new StringBuilder("ARX;" + k + ";" + limit + ";" + best);
                for (int i = 4; i < args.length; i++) {
                    line.append(";").append(args[i]).append("=").append(node.getGeneralization(args[i]));
                }
                System.out.println(line);
            }
        }
    }
}
