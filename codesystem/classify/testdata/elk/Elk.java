import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.*;
import org.semanticweb.elk.owlapi.ElkReasonerFactory;
import org.semanticweb.owlapi.apibinding.OWLManager;
import org.semanticweb.owlapi.model.*;
import org.semanticweb.owlapi.reasoner.*;

/** Prints what ELK infers from an ontology: "A<B" direct parents, "A=B" equivalents, "A!" unsatisfiable. */
class Elk {
  static String name(OWLClass c) {
    if (c.isOWLThing()) return "owl:Thing";
    String iri = c.getIRI().toString();
    if (iri.startsWith("http://snomed.info/id/")) return iri.substring(22);
    if (!iri.startsWith("http://purl.obolibrary.org/obo/")) return iri;
    return iri.substring(31).replaceFirst("_", ":");
  }

  static List<String> names(Node<OWLClass> n) {
    return n.entities().map(Elk::name).sorted().collect(Collectors.toList());
  }

  public static void main(String[] args) throws Exception {
    long start = System.nanoTime();
    OWLOntology o = OWLManager.createOWLOntologyManager().loadOntologyFromOntologyDocument(new File(args[0]));
    long loaded = System.nanoTime();
    OWLReasoner r = new ElkReasonerFactory().createReasoner(o);
    r.precomputeInferences(InferenceType.CLASS_HIERARCHY);
    long done = System.nanoTime();
    PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16), false, StandardCharsets.UTF_8);
    Set<OWLClass> seen = new HashSet<>();
    Deque<Node<OWLClass>> todo = new ArrayDeque<>();
    todo.add(r.getTopClassNode());
    for (Node<OWLClass> n; (n = todo.poll()) != null; ) {
      if (!seen.add(n.getRepresentativeElement())) continue;
      List<String> list = names(n);
      if (n.isTopNode()) { list.remove("owl:Thing"); list.add(0, "owl:Thing"); }
      if (!n.isBottomNode()) {
        for (String m : list.subList(1, list.size())) out.println(list.get(0) + "=" + m);
        for (Node<OWLClass> below : r.getSubClasses(n.getRepresentativeElement(), true)) {
          if (below.isBottomNode()) continue;
          out.println(names(below).get(0) + "<" + list.get(0));
          todo.add(below);
        }
      }
    }
    for (OWLClass c : r.getUnsatisfiableClasses()) if (!c.isOWLNothing()) out.println(name(c) + "!");
    out.flush();
    System.err.printf("read %d ms, classified %d ms%n", (loaded - start) / 1000000, (done - loaded) / 1000000);
    System.exit(0);
  }
}
