import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Runs TLC many times in one JVM, because starting a JVM and warming it up costs more than most
 * of our configurations take.
 *
 * <p>TLC keeps its state in static fields, so each job gets TLC's classes anew, from a class
 * loader of its own. One line on standard input is one job: the file that receives all output,
 * then TLC's arguments, separated by tabs. A line "exit N" on standard output answers it, with
 * TLC's exit status. The end of standard input ends the JVM at once, even in the middle of a job:
 * then the program at its other end is gone.
 */
public final class Batch {
  /** The status that TLC gives for everything it has no other number for. */
  private static final int ERROR = 255;

  public static void main(String[] args) throws Exception {
    URL[] jar = {Path.of(args[0]).toUri().toURL()};
    PrintStream answers = System.out;
    BlockingQueue<String> jobs = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> read(jobs), "jobs");
    reader.setDaemon(true);
    reader.start();
    while (true) {
      String[] job = jobs.take().split("\t");
      int status;
      try (PrintStream output = new PrintStream(new FileOutputStream(job[0]), true, "UTF-8")) {
        System.setOut(output);
        System.setErr(output);
        status = check(jar, Arrays.copyOfRange(job, 1, job.length));
      }
      forget();
      answers.println("exit " + status);
      answers.flush();
    }
  }

  /** Hands on every line of standard input, and ends the JVM after the last. */
  private static void read(BlockingQueue<String> jobs) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        jobs.add(line);
      }
    } catch (IOException broken) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(0);
  }

  /** Does what TLC's own main does, short of leaving the JVM. */
  private static int check(URL[] jar, String[] arguments) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader())) {
      thread.setContextClassLoader(loader);
      Class<?> type = loader.loadClass("tlc2.TLC");
      Object tlc = type.getConstructor().newInstance();
      if (!(Boolean) type.getMethod("handleParameters", String[].class)
          .invoke(tlc, (Object) arguments)) {
        return 1;
      }
      type.getMethod("setResolver", loader.loadClass("util.FilenameToStream"))
          .invoke(tlc, modules(loader, (String) type.getMethod("getMainFile").invoke(tlc)));
      Object result = type.getMethod("process").invoke(tlc);
      return (Integer) loader.loadClass("tlc2.output.EC$ExitStatus")
          .getMethod("errorConstantToExitStatus", int.class).invoke(null, result);
    } catch (InvocationTargetException failure) {
      failure.getCause().printStackTrace();
      return ERROR;
    } catch (Throwable failure) {
      failure.printStackTrace();
      return ERROR;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Returns what finds modules: here, and in the folder of the root module if that is another. */
  private static Object modules(ClassLoader loader, String root)
      throws ReflectiveOperationException {
    Class<?> type = loader.loadClass("util.SimpleFilenameToStream");
    Path folder = Path.of(root).getParent();
    return folder == null
        ? type.getConstructor().newInstance()
        : type.getConstructor(String.class).newInstance(folder.toString());
  }

  /** Removes the one thing of TLC that outlives its class loader, and would keep it in memory. */
  private static void forget() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    for (ObjectName name : beans.queryNames(new ObjectName("tlc2*:*"), null)) {
      beans.unregisterMBean(name);
    }
  }
}
