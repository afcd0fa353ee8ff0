import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.parser.IParser;
import ca.uhn.fhir.parser.LenientErrorHandler;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Converts R4 resources with HAPI's parsers: reads resources in JSON, one a line, and writes the XML
 * of each in base64 on a line, "-" where HAPI cannot read it.
 */
public class Convert {
  public static void main(String[] args) throws Exception {
    FhirContext context = FhirContext.forR4();
    context.setParserErrorHandler(new LenientErrorHandler(false));
    context.getParserOptions().setStripVersionsFromReferences(false);
    context.getParserOptions().setOverrideResourceIdWithBundleEntryFullUrl(false);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line; (line = in.readLine()) != null; ) {
      String answer = "-";
      try {
        IParser xml = context.newXmlParser();
        String text = xml.encodeResourceToString(context.newJsonParser().parseResource(line));
        answer = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
      } catch (RuntimeException e) {
        System.err.println(e.getMessage());
      }
      out.println(answer);
    }
    out.flush();
  }
}
